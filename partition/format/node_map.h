// Where each original id lives, without a dense book of nodes in memory.
#ifndef TRIBUTARY_PARTITION_FORMAT_NODE_MAP_H_
#define TRIBUTARY_PARTITION_FORMAT_NODE_MAP_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"

namespace tributary {

struct NodeLocation {
  uint32_t partition = 0;
  uint64_t row =
      0;  // within the partition; internal id = base[partition] + row
  friend bool operator==(const NodeLocation&, const NodeLocation&) = default;
};

// The partition of each original id (one byte a node, two above 256
// partitions), mapped from disk, with rank checkpoints every
// max(512, 8 P) nodes: the row is the number of earlier ids of the same
// partition, since rows ascend by original id. Views; immutable; thread-safe.
class NodeMap {
 public:
  NodeMap() = default;
  // partition_of: [num_nodes] uint8 or uint16; ranks: [blocks, P] row-major,
  // the rows of each partition before the block.
  NodeMap(absl::Span<const uint8_t> partition_of,
          absl::Span<const uint64_t> ranks, uint32_t num_partitions);
  NodeMap(absl::Span<const uint16_t> partition_of,
          absl::Span<const uint64_t> ranks, uint32_t num_partitions);

  static uint64_t BlockSize(uint32_t num_partitions);
  // The checkpoints of a map, as they are written to disk.
  static std::vector<uint64_t> MakeRanks(
      absl::Span<const uint16_t> partition_of, uint32_t num_partitions);

  uint64_t num_nodes() const { return num_nodes_; }
  // OUT_OF_RANGE, with the id and the allowed range.
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
