// What a process needs, by the counts of the graph.
#ifndef TRIBUTARY_PARTITION_PIPELINE_MPI_RANK_MEMORY_H_
#define TRIBUTARY_PARTITION_PIPELINE_MPI_RANK_MEMORY_H_

#include <cstdint>

namespace tributary {

// Bytes that each rank may take at the peak.
struct RankMemory {
  // Of graphs that coarsen well: less with more ranks.
  uint64_t usual = 0;
  // Of graphs of hubs, such as R-MAT: most of the graph, at each rank.
  uint64_t with_hubs = 0;
};

// Estimates above what was measured (docs/partitioning.md). `num_edges` are the
// rows of the input, with parallel ones.
RankMemory EstimateRankMemory(int64_t num_nodes, int64_t num_edges, int ranks);

}  // namespace tributary

#endif  // TRIBUTARY_PARTITION_PIPELINE_MPI_RANK_MEMORY_H_
