// Maps edge ids to partitions and positions.
#ifndef TRIBUTARY_PARTITION_FORMAT_EDGE_INDEX_H_
#define TRIBUTARY_PARTITION_FORMAT_EDGE_INDEX_H_

#include <cstdint>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "partition/format/id_array.h"

namespace tributary {

// The location of an edge.
struct EdgeLocation {
  uint32_t partition = 0;
  // Position in the partition's arrays of the edge type: indices[position] is
  // the source; the destination is the row that contains it by indptr.
  uint64_t position = 0;
  friend bool operator==(const EdgeLocation&, const EdgeLocation&) = default;
};

// Holds the location of each edge id of one type. Ids that no edge has (edges
// that --dedupe dropped) have the largest position of the array's type. A view
// of arrays that must outlive it. Immutable; thread-safe.
class EdgeIndex {
 public:
  EdgeIndex() = default;
  // partition_of: [ids], uint8 or, above 256 partitions, uint16 (as
  // NodeMap::IsNarrow). positions: [ids]. partition_edges: [P].
  EdgeIndex(absl::Span<const uint8_t> partition_of, IdArray positions,
            absl::Span<const int64_t> partition_edges)
      : narrow_(partition_of.data()),
        positions_(positions),
        partition_edges_(partition_edges) {}
  EdgeIndex(absl::Span<const uint16_t> partition_of, IdArray positions,
            absl::Span<const int64_t> partition_edges)
      : wide_(partition_of.data()),
        positions_(positions),
        partition_edges_(partition_edges) {}

  // Returns the position that stands for "no such edge" in an array of
  // positions of 32 or 64 bits.
  static uint64_t NoPosition(bool wide) {
    return wide ? UINT64_MAX : UINT32_MAX;
  }

  // Returns the number of ids, the largest one + 1.
  uint64_t num_ids() const { return positions_.size(); }
  // Returns the location of an edge. OUT_OF_RANGE, with the id and the allowed
  // range, if no edge can have the id; NOT_FOUND if none has it; DATA_LOSS if
  // the location is not in the graph.
  absl::StatusOr<EdgeLocation> Locate(int64_t edge_id) const;

 private:
  const uint8_t* narrow_ = nullptr;
  const uint16_t* wide_ = nullptr;
  IdArray positions_;
  absl::Span<const int64_t> partition_edges_;
};

}  // namespace tributary

#endif  // TRIBUTARY_PARTITION_FORMAT_EDGE_INDEX_H_
