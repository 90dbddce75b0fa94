// Assigns nodes as files of the user say.
#ifndef TRIBUTARY_PARTITION_PIPELINE_PARTITIONERS_ASSIGNMENT_PARTITIONER_H_
#define TRIBUTARY_PARTITION_PIPELINE_PARTITIONERS_ASSIGNMENT_PARTITIONER_H_

#include <vector>

#include "absl/status/statusor.h"
#include "partition/pipeline/partitioners/method/partition_method.h"

namespace tributary {

// Method "assignment". options.assignment is a folder with a file for each node
// type, TYPE.npy, TYPE.txt or TYPE.txt.gz; or, for a graph of one node type,
// such a file of any name. The .npy file has whole numbers, [num_nodes], the
// text one number a line, the partition of each node by original id, as METIS
// and DGL's partitioners write them, and as a graph's folder has them in
// node_map. Does not read the edges; takes 2 bytes per
// node.
//
// NOT_FOUND for a missing file; INVALID_ARGUMENT for a file of an unknown type,
// several of one type, a wrong number of rows or a value that is no number;
// OUT_OF_RANGE, with file and row, for a partition outside of 0 to
// num_partitions - 1.
class AssignmentPartitioner final : public Partitioner {
 public:
  absl::StatusOr<std::vector<std::vector<uint16_t>>> Partition(
      const GraphSource& graph, const PartitionOptions& options,
      const PartitionContext& context) const override;
};

}  // namespace tributary

#endif  // TRIBUTARY_PARTITION_PIPELINE_PARTITIONERS_ASSIGNMENT_PARTITIONER_H_
