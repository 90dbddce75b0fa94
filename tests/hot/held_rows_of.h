// Held rows of a graph in memory, for tests.
#ifndef TRIBUTARY_TESTS_HOT_HELD_ROWS_OF_H_
#define TRIBUTARY_TESTS_HOT_HELD_ROWS_OF_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "common/session/feature_dtype.h"
#include "partition/format/graph.h"
#include "partition/format/hot_list.h"
#include "trainer_client/core/held/held_rows.h"

namespace tributary {

// Adds rows of the list, piece by piece, as a trainer that fetches them does.
class HeldRowsOf {
 public:
  // All partitions of `graph` are mapped, with their features.
  HeldRowsOf(std::shared_ptr<const Graph> graph,
             std::shared_ptr<const HotList> list, FeatureDType feature_dtype,
             uint32_t rows_per_piece);

  const std::shared_ptr<HeldRows>& rows() const { return rows_; }
  // Adds the next piece of a type; returns false if its rows are all held. A
  // damaged one has another byte in one of its rows.
  bool AddPiece(int node_type, bool damaged = false);
  // Adds pieces until all types have `share` of their rows.
  void Add(double share);

 private:
  std::vector<uint8_t> Record(int node_type, int64_t id, uint32_t crc) const;

  const std::shared_ptr<const Graph> graph_;
  const std::shared_ptr<const HotList> list_;
  const FeatureDType feature_dtype_;
  const uint32_t rows_per_piece_;
  std::shared_ptr<HeldRows> rows_;
};

}  // namespace tributary

#endif  // TRIBUTARY_TESTS_HOT_HELD_ROWS_OF_H_
