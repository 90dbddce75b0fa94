// Rows of one partition made by hand, and what SampleHop draws from them.
#ifndef TRIBUTARY_SAMPLER_SERVER_ENGINE_TESTING_HOP_ROWS_H_
#define TRIBUTARY_SAMPLER_SERVER_ENGINE_TESTING_HOP_ROWS_H_

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "sampler_server/engine/hop/hop.h"

namespace tributary {

// Edge i leads from node i and has id 1000 + i, so that what was drawn shows.
class HopRows {
 public:
  explicit HopRows(const std::vector<uint64_t>& degrees, bool wide_ids = false);

  // By edge, rows one after another.
  void SetWeights(const std::vector<double>& weights);
  void SetEdgeTimes(const std::vector<int64_t>& times);
  void SetNeighborTimes(const std::vector<int64_t>& times);
  void SetNeighborIds(const std::vector<uint64_t>& ids);
  // The next of the type's masks, 0 or 1 by edge.
  void AddMask(const std::vector<uint8_t>& mask) { masks.push_back(mask); }
  // By edge, one or more of them each.
  template <typename T>
  void SetAttributes(const std::vector<T>& values) {
    const auto* bytes = reinterpret_cast<const uint8_t*>(values.data());
    edge_attr.assign(bytes, bytes + values.size() * sizeof(T));
  }

  EdgePartition view() const;
  uint64_t num_edges() const { return indptr.back(); }
  uint64_t degree(uint64_t row) const { return indptr[row + 1] - indptr[row]; }

  // Open to damage.
  struct Ids {
    std::vector<uint32_t> narrow;
    std::vector<uint64_t> wide;
    void Set(const std::vector<uint64_t>& ids);
  };
  struct Times {
    std::vector<int64_t> time;
    Ids position;
  };
  std::vector<uint64_t> indptr = {0}, weight_sum;
  std::vector<double> weight;
  std::vector<uint8_t> edge_attr;
  std::vector<std::vector<uint8_t>> masks;
  Ids indices, edge_id, neighbor_id;
  Times edge_time, neighbor_time;

 private:
  void Order(const std::vector<int64_t>& times, Times* to) const;
  IdArray View(const Ids& ids) const;

  bool wide_ids_;
};

// Nodes of a batch, one for each row, with local numbers 5, 6, ... and no tree.
struct AskedNodes {
  explicit AskedNodes(size_t num_rows);
  // With docs/sampling.md's first key; of the vectors here.
  HopQuery Query(int32_t fanout, bool replace) const;

  std::vector<uint64_t> rows;
  std::vector<uint32_t> numbers, trees;
};
inline constexpr PhiloxKey kFirstKey{0xa9034aaf, 0x0c819c21};

// An edge type with two float32 attributes, float64 weights, times and the
// masks `test` and `train`.
EdgeTypeSchema EdgeTypeWithColumns();
// A user's words, for that type or another.
std::shared_ptr<const EdgePredicate> PredicateOf(
    const std::string& text,
    const EdgeTypeSchema& type = EdgeTypeWithColumns());

// The positions that each node of the query emits. Checks that neighbours, edge
// ids and positions agree.
absl::StatusOr<std::vector<std::vector<uint64_t>>> PositionsDrawn(
    const HopRows& rows, const HopQuery& query);

// Returns the same positions, requested in pieces of `piece` edges, each of
// which continues where the one before it was cut.
absl::StatusOr<std::vector<std::vector<uint64_t>>> PositionsInPieces(
    const HopRows& rows, const HopQuery& query, uint64_t piece);

}  // namespace tributary

#endif  // TRIBUTARY_SAMPLER_SERVER_ENGINE_TESTING_HOP_ROWS_H_
