// What a process needs, by the counts of the graph.
#ifndef TRIBUTARY_PARTITION_PIPELINE_MPI_RANK_MEMORY_H_
#define TRIBUTARY_PARTITION_PIPELINE_MPI_RANK_MEMORY_H_

#include <cstdint>

#include "partition/pipeline/mpi/scotch_partitioner.h"

namespace tributary {

struct RankLoad {
  int64_t num_nodes = 0;
  int64_t num_edges = 0;  // rows of the input, with parallel ones
  int ranks = 1;
  ScotchStrategy strategy = ScotchStrategy::kQuality;
};

// Returns how many bytes each of the ranks may take at the peak, for graphs of
// hubs: those without take less (docs/partitioning.md compares it with what was
// measured).
uint64_t RankMemoryBytes(const RankLoad& load);

}  // namespace tributary

#endif  // TRIBUTARY_PARTITION_PIPELINE_MPI_RANK_MEMORY_H_
