// The graph and inputs that the benchmarks of this folder share, and the limit
// that their rates are compared with.
//
// The counter "of_line_rate" is edges sampled per random cache line that one
// core can read in as much memory. An edge counts as sampled when its neighbour
// and its edge id have been read and the neighbour has its number in the batch;
// whole batches also gather original ids. A step of a walk counts as an edge.
#ifndef TRIBUTARY_BENCHMARKS_ENGINE_BENCH_INPUTS_H_
#define TRIBUTARY_BENCHMARKS_ENGINE_BENCH_INPUTS_H_

#include <benchmark/benchmark.h>

#include <cstdint>
#include <vector>

#include "benchmarks/engine/rmat_graph.h"

namespace tributary {

inline constexpr uint64_t kInputs = 1024;
inline constexpr uint64_t kBatches = 1024;  // then the inputs repeat

// Must be called before all else. `graph` must outlive the benchmarks.
void SetBenchGraph(const RmatGraph* graph);
const RmatGraph& BenchGraph();

// Returns the inputs of each batch: random nodes that have neighbours, as the
// inputs of a training set have. Drawn by the first call.
const std::vector<std::vector<uint64_t>>& Inputs();

// Returns the CPU time of this thread in seconds: other work on the machine
// affects it little.
double CpuSeconds();

// Returns the random cache lines per CPU second that one core reads from as
// much memory, in huge pages, as sampling does. Measured by the first call.
double LinesPerSecond();

// Sets `state`'s counters for `edges` edges sampled in `seconds` CPU seconds.
void ReportEdges(benchmark::State& state, int64_t edges, double seconds);

}  // namespace tributary

#endif  // TRIBUTARY_BENCHMARKS_ENGINE_BENCH_INPUTS_H_
