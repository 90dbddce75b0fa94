// Assigns the nodes of a distributed graph with PT-Scotch.
#ifndef TRIBUTARY_PARTITION_PIPELINE_MPI_SCOTCH_PARTITIONER_H_
#define TRIBUTARY_PARTITION_PIPELINE_MPI_SCOTCH_PARTITIONER_H_

#include <cstdint>
#include <vector>

#include "absl/status/statusor.h"
#include "partition/pipeline/mpi/communicator.h"
#include "partition/pipeline/mpi/distributed_graph.h"

namespace tributary {

// How PT-Scotch computes; docs/partitioning.md has what each takes.
enum class ScotchStrategy {
  // PT-Scotch's own default: at each level every rank gathers the graph around
  // the cut, of graphs of hubs the whole, and refines it.
  kQuality,
  // Ranks refine nothing but the coarsest graph.
  kSpeed,
};

struct ScotchOptions {
  ScotchStrategy strategy = ScotchStrategy::kQuality;
  uint32_t num_partitions = 1;  // 1 to 65536
  // How much heavier than the mean a partition may be: 0.05 is 5 %. PT-Scotch
  // tries; it does not promise.
  double imbalance = 0.05;
  int64_t random_seed = 0;
};

// Returns the partition of each row of this rank. Uses the parallel multilevel
// recursive bisection of PT-Scotch (Chevalier & Pellegrini, Parallel Computing
// 2008), which cuts few edges while it balances the sums of `weights`: [rows],
// not negative, or empty where each node counts 1. The result depends on the
// graph, the weights, the options and the number of ranks. If there are no more
// nodes than partitions, node i goes to partition i. PT-Scotch takes some
// memory beside the graph's (docs/partitioning.md); graph and weights are not
// changed. INTERNAL with PT-Scotch's own message. Collective.
absl::StatusOr<std::vector<uint16_t>> PartitionWithScotch(
    const Communicator& comm, DistributedGraph& graph,
    std::vector<int64_t>& weights, const ScotchOptions& options);

}  // namespace tributary

#endif  // TRIBUTARY_PARTITION_PIPELINE_MPI_SCOTCH_PARTITIONER_H_
