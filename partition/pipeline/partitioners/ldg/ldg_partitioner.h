// Assigns nodes by linear deterministic greedy in one pass over the edges.
#ifndef TRIBUTARY_PARTITION_PIPELINE_PARTITIONERS_LDG_LDG_PARTITIONER_H_
#define TRIBUTARY_PARTITION_PIPELINE_PARTITIONERS_LDG_LDG_PARTITIONER_H_

#include <vector>

#include "absl/status/statusor.h"
#include "partition/pipeline/partitioners/method/partition_method.h"

namespace tributary {

// Method "ldg"; see MakePartitioner and docs/graph-format.md. The plan depends
// on graph and options only, not on memory and threads.
//
// First distributes the edges to files of the work folder (EdgeBuckets: 8 bytes
// an edge), then places the nodes in order while another thread loads the next
// nodes' edges. Takes 2 bytes per node (4 in typed graphs), 4 more with
// --balance edges, and buffers in the rest of the memory, up to some 100 MiB
// a thread. After a kill in the second part the files are found again.
// INVALID_ARGUMENT if memory, RESOURCE_EXHAUSTED if the disk does not suffice;
// else errors as JointEnds::Read.
class LdgPartitioner final : public Partitioner {
 public:
  absl::StatusOr<std::vector<std::vector<uint16_t>>> Partition(
      const GraphSource& graph, const PartitionOptions& options,
      const PartitionContext& context) const override;
};

}  // namespace tributary

#endif  // TRIBUTARY_PARTITION_PIPELINE_PARTITIONERS_LDG_LDG_PARTITIONER_H_
