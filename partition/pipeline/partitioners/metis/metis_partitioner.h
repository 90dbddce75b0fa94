// Assigns nodes with METIS, so that few edges are cut.
#ifndef TRIBUTARY_PARTITION_PIPELINE_PARTITIONERS_METIS_METIS_PARTITIONER_H_
#define TRIBUTARY_PARTITION_PIPELINE_PARTITIONERS_METIS_METIS_PARTITIONER_H_

#include <cstdint>
#include <vector>

#include "absl/status/statusor.h"
#include "partition/pipeline/partitioners/method/partition_method.h"

namespace tributary {

// Method "metis"; see MakePartitioner. If there are no more nodes than
// partitions, node i goes to partition i. Each balance is one of METIS's
// constraints. If METIS leaves a partition above the tolerance, moves nodes out
// of it (BalanceRepair); if that does not suffice, tries other seeds, at most 8
// in all, and takes the plan with the least excess.
// INVALID_ARGUMENT, naming ldg, if MetisMemoryBytes exceeds the context's, if
// METIS lacks memory, or if its 32-bit indices do not suffice.
class MetisPartitioner final : public Partitioner {
 public:
  absl::StatusOr<std::vector<std::vector<uint16_t>>> Partition(
      const GraphSource& graph, const PartitionOptions& options,
      const PartitionContext& context) const override;
};

// Returns an upper bound of the memory that the method takes for a graph of
// `rows` rows of edges, measured with METIS 5.1 (docs/partitioning.md).
uint64_t MetisMemoryBytes(uint64_t num_nodes, uint64_t rows,
                          uint64_t num_constraints, uint32_t parts,
                          bool minimize_volume);

}  // namespace tributary

#endif  // TRIBUTARY_PARTITION_PIPELINE_PARTITIONERS_METIS_METIS_PARTITIONER_H_
