// Parts a frontier among the partitions that hold its nodes.
#ifndef TRIBUTARY_SAMPLER_SERVER_ENGINE_IDS_FRONTIER_H_
#define TRIBUTARY_SAMPLER_SERVER_ENGINE_IDS_FRONTIER_H_

#include <cstdint>
#include <vector>

#include "absl/types/span.h"
#include "partition/schema/schema.h"

namespace tributary {

// Nodes of one partition, in the order in which they were given.
struct PartitionNodes {
  uint32_t partition = 0;
  std::vector<uint32_t> index;  // place in the list given
  std::vector<uint64_t> rows;   // within the partition
};

struct NodesByPartition {
  std::vector<PartitionNodes> groups;  // those that have nodes, ascending
  std::vector<uint32_t> group_of;      // per node; empty with one group
};

// `ids`: internal ids of `type`, each below its num_nodes; at most 2^32 - 1.
NodesByPartition GroupByPartition(const NodeTypeSchema& type,
                                  absl::Span<const uint64_t> ids);
// The same of ids as TreeIds makes them. Takes 8 bytes more for each,
// meanwhile.
NodesByPartition GroupTreesByPartition(const NodeTypeSchema& type,
                                       absl::Span<const uint64_t> ids);

}  // namespace tributary

#endif  // TRIBUTARY_SAMPLER_SERVER_ENGINE_IDS_FRONTIER_H_
