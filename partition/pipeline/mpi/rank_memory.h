// Estimates the memory of a process from the counts of the graph.
#ifndef TRIBUTARY_PARTITION_PIPELINE_MPI_RANK_MEMORY_H_
#define TRIBUTARY_PARTITION_PIPELINE_MPI_RANK_MEMORY_H_

#include <cstdint>

namespace tributary {

// Bytes that each rank may take at the peak.
struct RankMemory {
  // For graphs that coarsen well: less with more ranks.
  uint64_t usual = 0;
  // For graphs of hubs, such as R-MAT: most of the graph, at each rank.
  uint64_t with_hubs = 0;
};

// Returns the estimates; docs/partitioning.md has measured peaks beside them.
// `num_edges` counts the rows of the input, with parallel edges.
RankMemory EstimateRankMemory(int64_t num_nodes, int64_t num_edges, int ranks);

}  // namespace tributary

#endif  // TRIBUTARY_PARTITION_PIPELINE_MPI_RANK_MEMORY_H_
