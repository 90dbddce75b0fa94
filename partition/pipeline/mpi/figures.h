// Cut and balance of a distributed assignment.
#ifndef TRIBUTARY_PARTITION_PIPELINE_MPI_FIGURES_H_
#define TRIBUTARY_PARTITION_PIPELINE_MPI_FIGURES_H_

#include <cstdint>
#include <vector>

#include "absl/types/span.h"
#include "partition/pipeline/mpi/communicator.h"
#include "partition/pipeline/mpi/distributed_graph.h"

namespace tributary {

// Figures of the undirected graph, the same at all ranks.
struct AssignmentFigures {
  int64_t edges = 0;
  int64_t cut = 0;               // edges between two partitions
  std::vector<int64_t> nodes;    // of each partition
  std::vector<int64_t> ends;     // of edges, at each partition's nodes
  std::vector<int64_t> weights;  // sums, if there are any
};

// Counts anew, with nothing that a partitioner says. `parts`: the partition of
// each row of this rank. Ranks tell each other the partitions of at most 2^25
// nodes at a time, which takes 64 MiB. Collective.
AssignmentFigures CountFigures(const Communicator& comm,
                               const DistributedGraph& graph,
                               absl::Span<const uint16_t> parts,
                               absl::Span<const int64_t> weights,
                               uint32_t num_partitions);

// Returns the largest over the mean; 1 if all are 0.
double Balance(absl::Span<const int64_t> sums);

}  // namespace tributary

#endif  // TRIBUTARY_PARTITION_PIPELINE_MPI_FIGURES_H_
