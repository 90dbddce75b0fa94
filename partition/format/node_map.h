// Maps original node ids to partition and row, in one or two bytes per node.
#ifndef TRIBUTARY_PARTITION_FORMAT_NODE_MAP_H_
#define TRIBUTARY_PARTITION_FORMAT_NODE_MAP_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"

namespace tributary {

// The location of a node.
struct NodeLocation {
  uint32_t partition = 0;
  // Row within the partition; the internal id is base[partition] + row.
  uint64_t row = 0;
  friend bool operator==(const NodeLocation&, const NodeLocation&) = default;
};

// Holds the partition of each original id (one byte per node, two above 256
// partitions), mapped from disk. Rows ascend by original id, so a node's row is
// the number of earlier ids in its partition; it is counted from rank
// checkpoints, which stand every max(512, 8 P) nodes. A view of arrays that
// must outlive it. Immutable; thread-safe.
class NodeMap {
 public:
  NodeMap() = default;
  // partition_of: [num_nodes] uint8 or uint16, by IsNarrow. ranks: [blocks, P]
  // row-major, for each block the number of rows of each partition before it.
  NodeMap(absl::Span<const uint8_t> partition_of,
          absl::Span<const uint64_t> ranks, uint32_t num_partitions);
  NodeMap(absl::Span<const uint16_t> partition_of,
          absl::Span<const uint64_t> ranks, uint32_t num_partitions);

  // Returns whether one byte holds every number of a partition, 0 to
  // num_partitions - 1, so that the map is stored as uint8 instead of uint16.
  static bool IsNarrow(uint32_t num_partitions) {
    return num_partitions <= 256;
  }
  // Returns the number of nodes between two checkpoints.
  static uint64_t BlockSize(uint32_t num_partitions);
  // Computes the checkpoints of a map, as they are written to disk.
  static std::vector<uint64_t> MakeRanks(
      absl::Span<const uint16_t> partition_of, uint32_t num_partitions);

  uint64_t num_nodes() const { return num_nodes_; }
  // Returns the location of a node; OUT_OF_RANGE, with the id and the allowed
  // range, if there is no such id.
  absl::StatusOr<NodeLocation> Locate(int64_t original_id) const;

 private:
  const uint8_t* narrow_ = nullptr;
  const uint16_t* wide_ = nullptr;
  uint64_t num_nodes_ = 0;
  absl::Span<const uint64_t> ranks_;
  uint32_t num_partitions_ = 1;
};

}  // namespace tributary

#endif  // TRIBUTARY_PARTITION_FORMAT_NODE_MAP_H_
