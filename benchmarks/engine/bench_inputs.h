// What every benchmark here samples, and the limit that it is held against.
//
// "of_line_rate": edges sampled per random cache line that one core can read in
// as much memory. An edge is sampled when its neighbour and its edge id are
// read and the neighbour has its number in the batch; whole batches gather
// original ids as well. A step of a walk is an edge, too.
#ifndef TRIBUTARY_BENCHMARKS_ENGINE_BENCH_INPUTS_H_
#define TRIBUTARY_BENCHMARKS_ENGINE_BENCH_INPUTS_H_

#include <benchmark/benchmark.h>

#include <cstdint>
#include <vector>

#include "benchmarks/engine/rmat_graph.h"

namespace tributary {

inline constexpr uint64_t kInputs = 1024;
inline constexpr uint64_t kBatches = 1024;  // then the same inputs again

// Before all else; `graph` outlives the benchmarks.
void SetBenchGraph(const RmatGraph* graph);
const RmatGraph& BenchGraph();

// Inputs of batches: random nodes that have neighbours, as inputs of a training
// set have. Drawn by the first call.
const std::vector<std::vector<uint64_t>>& Inputs();

// Of this thread, so that other work on the machine counts little.
double CpuSeconds();

// Random lines of as much memory as sampling reads, in huge pages, by the clock
// of its thread, like what is compared with it. Measured by the first call.
double LinesPerSecond();

// Of `state`'s batches: how many edges they have, in so many CPU seconds.
void ReportEdges(benchmark::State& state, int64_t edges, double seconds);

}  // namespace tributary

#endif  // TRIBUTARY_BENCHMARKS_ENGINE_BENCH_INPUTS_H_
