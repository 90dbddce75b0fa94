#include "benchmarks/engine/bench_inputs.h"

#include <time.h>

#include "benchmarks/lib/measure/memory_bandwidth.h"
#include "common/random/hop_key.h"
#include "common/random/philox.h"

namespace tributary {
namespace {

using Rate = benchmark::Counter;

const RmatGraph* g_graph = nullptr;

std::vector<uint64_t> InputsOf(uint64_t batch) {
  std::vector<uint64_t> inputs;
  PhiloxStream words(MakeHopKey({.batch = batch, .purpose = Purpose::kOrder}),
                     0);
  const auto n =
      static_cast<uint64_t>(BenchGraph().schema().node_types[0].num_nodes);
  const auto indptr = BenchGraph().edges(0, 0)->indptr;
  for (uint32_t i = 0; inputs.size() < kInputs; ++i) {
    const uint64_t v = words.BelowWide(i, n);
    if (indptr[v] < indptr[v + 1]) inputs.push_back(v);
  }
  return inputs;
}

// Bytes of indptr, neighbours and edge ids.
uint64_t BytesRead() {
  const EdgePartition& edges = *BenchGraph().edges(0, 0);
  return edges.indptr.size() * sizeof(uint64_t) +
         edges.indices.size() * 2 * sizeof(uint32_t);
}

void RandomLines(benchmark::State& state) {
  for (auto _ : state) state.counters["lines"] = LinesPerSecond();
  state.counters["MiB"] = static_cast<double>(BytesRead() >> 20);
}
BENCHMARK(RandomLines)->Iterations(1);

void Memcpy(benchmark::State& state) {
  for (auto _ : state) {
    state.counters["bytes"] =
        MeasureMemcpyRate(1, absl::Seconds(1)).per_cpu_second;
  }
}
BENCHMARK(Memcpy)->Iterations(1);

}  // namespace

void SetBenchGraph(const RmatGraph* graph) { g_graph = graph; }
const RmatGraph& BenchGraph() { return *g_graph; }

const std::vector<std::vector<uint64_t>>& Inputs() {
  static const auto* const inputs = [] {
    auto* all = new std::vector<std::vector<uint64_t>>;
    for (uint64_t batch = 0; batch < kBatches; ++batch) {
      all->push_back(InputsOf(batch));
    }
    return all;
  }();
  return *inputs;
}

double CpuSeconds() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) +
         1e-9 * static_cast<double>(now.tv_nsec);
}

double LinesPerSecond() {
  static const double rate =
      MeasureRandomLineRate(1, BytesRead(), absl::Seconds(3)).per_cpu_second;
  return rate;
}

void ReportEdges(benchmark::State& state, int64_t edges, double seconds) {
  const auto count = static_cast<double>(edges);
  state.counters["edges"] = Rate(count, Rate::kIsRate);
  state.counters["inputs"] =
      Rate(static_cast<double>(kInputs * state.iterations()), Rate::kIsRate);
  state.counters["of_line_rate"] = count / seconds / LinesPerSecond();
}

}  // namespace tributary
