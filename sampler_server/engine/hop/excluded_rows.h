// Finds the excluded edges of a partition's rows.
#ifndef TRIBUTARY_SAMPLER_SERVER_ENGINE_HOP_EXCLUDED_ROWS_H_
#define TRIBUTARY_SAMPLER_SERVER_ENGINE_HOP_EXCLUDED_ROWS_H_

#include <cstdint>
#include <vector>

#include "absl/types/span.h"
#include "common/runtime/stop_check.h"
#include "partition/format/graph.h"
#include "sampler_server/engine/hop/excluded_edges.h"

namespace tributary {

// Views of a sorted ExcludedEdges; row r is node first_node + r. The
// ExcludedEdges must outlive it.
struct ExcludedOfRows {
  absl::Span<const EdgeOfNode> by_id;
  absl::Span<const SourceOfNode> by_source;
  uint64_t first_node = 0;

  ExcludedOfRows() = default;
  // The entries of nodes [first, end).
  ExcludedOfRows(const ExcludedEdges& edges, uint64_t first, uint64_t end);
  bool empty() const { return by_id.empty() && by_source.empty(); }
  // Returns copies of the entries of `rows`, with rows in place of nodes.
  ExcludedEdges OfRows(absl::Span<const uint64_t> rows) const;
  // Return the entries of one node, in the same order.
  absl::Span<const EdgeOfNode> IdsOf(uint64_t node) const;
  absl::Span<const SourceOfNode> SourcesOf(uint64_t node) const;
};

// Answers quickly whether a row has excluded edges. Few rows have any, so a bit
// for each hash of a row avoids nearly all searches. Immutable; thread-safe.
class ExcludedRows {
 public:
  explicit ExcludedRows(const ExcludedOfRows& excluded);

  // Returns true for every row that has entries, and for few others.
  bool MayHave(uint64_t row) const {
    const uint64_t hash = Hash(excluded_.first_node + row);
    return (bits_[hash / 64] >> (hash % 64) & 1) != 0;
  }
  // Clears the bits of the row's excluded positions. `bits` and `stop` as for
  // EdgePredicate::Narrow.
  void Narrow(const EdgePartition& edges, uint64_t row, uint64_t begin,
              uint64_t degree, absl::Span<uint64_t> bits,
              StopCheck* stop = nullptr) const;

 private:
  uint64_t Hash(uint64_t node) const {
    return node * 0x9E3779B97F4A7C15u >> shift_;
  }

  const ExcludedOfRows excluded_;
  int shift_ = 0;
  std::vector<uint64_t> bits_;
};

}  // namespace tributary

#endif  // TRIBUTARY_SAMPLER_SERVER_ENGINE_HOP_EXCLUDED_ROWS_H_
