// Groups the nodes of a frontier by the partitions that hold them.
#ifndef TRIBUTARY_SAMPLER_SERVER_ENGINE_IDS_FRONTIER_H_
#define TRIBUTARY_SAMPLER_SERVER_ENGINE_IDS_FRONTIER_H_

#include <cstdint>
#include <vector>

#include "absl/types/span.h"
#include "partition/schema/schema.h"

namespace tributary {

// The nodes of one partition, in the order in which they were given.
struct PartitionNodes {
  uint32_t partition = 0;
  std::vector<uint32_t> index;  // index in the given list
  std::vector<uint64_t> rows;   // within the partition
};

struct NodesByPartition {
  std::vector<PartitionNodes> groups;  // none is empty; ascending
  std::vector<uint32_t> group_of;      // per node; empty with one group
};

// Groups internal ids of `type`. Requires ids below its num_nodes, and at most
// 2^32 - 1 of them.
NodesByPartition GroupByPartition(const NodeTypeSchema& type,
                                  absl::Span<const uint64_t> ids);
// Groups ids as TreeIds makes them. Takes 8 bytes more per id during the call.
NodesByPartition GroupTreesByPartition(const NodeTypeSchema& type,
                                       absl::Span<const uint64_t> ids);

}  // namespace tributary

#endif  // TRIBUTARY_SAMPLER_SERVER_ENGINE_IDS_FRONTIER_H_
