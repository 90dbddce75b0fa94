// Benchmarks random walks: the kernel of steps, and whole batches.
#include <benchmark/benchmark.h>

#include <cstdlib>
#include <memory>
#include <utility>
#include <vector>

#include "benchmarks/engine/bench_inputs.h"
#include "benchmarks/engine/whole_batches.h"
#include "common/random/hop_key.h"
#include "common/session/kinds/walk_spec.h"
#include "common/session/spec_builder.h"
#include "sampler_server/kinds/registry.h"
#include "sampler_server/kinds/walk/walk_step.h"

namespace tributary {
namespace {

constexpr uint32_t kWalkLength = 40, kWalksPerNode = 10;

// Runs the kernel alone: all walks of a batch step together. An edge is a step.
void WalkSteps(benchmark::State& state) {
  const EdgePartition& edges = *BenchGraph().edges(0, 0);
  const auto n =
      static_cast<uint64_t>(BenchGraph().schema().node_types[0].num_nodes);
  std::vector<uint64_t> rows, next;
  std::vector<uint32_t> walks;
  int64_t total = 0;
  uint64_t batch = 0;
  Inputs();
  const double start = CpuSeconds();
  for (auto _ : state) {
    rows.clear();
    for (uint64_t id : Inputs()[batch % kBatches]) {
      rows.insert(rows.end(), kWalksPerNode, id);
    }
    walks.resize(rows.size());
    for (uint32_t w = 0; w < walks.size(); ++w) walks[w] = w;
    WalkQuery query;
    query.key = MakeHopKey({.batch = batch++, .purpose = Purpose::kWalks});
    for (query.step = 0; query.step < kWalkLength; ++query.step) {
      next.resize(rows.size());
      query.rows = rows;
      query.walks = walks;
      if (!DrawWalkSteps(edges, n, query, next.data()).ok()) std::abort();
      size_t left = 0;
      for (size_t i = 0; i < next.size(); ++i) {
        rows[left] = next[i];
        walks[left] = walks[i];
        left += next[i] != kNoNode ? 1 : 0;
      }
      rows.resize(left);
      walks.resize(left);
      total += static_cast<int64_t>(left);
    }
  }
  ReportEdges(state, total, CpuSeconds() - start);
}
BENCHMARK(WalkSteps)->MinTime(2);

std::shared_ptr<const SamplingPlan> MakeWalkPlan(double q) {
  const GraphSchema& schema = BenchGraph().schema();
  SpecGraph graph{schema.name, {}, {}, {"node"}, {"node,to,node"}};
  SpecOptions options;
  options.input_count = UINT64_MAX >> 1;
  options.batch_size = kInputs;
  auto spec = BuildWalkSpec(
      graph, options,
      {.walk_length = kWalkLength, .walks_per_node = kWalksPerNode, .q = q});
  if (!spec.ok()) std::abort();
  auto plan = MakePlan(schema, *spec);
  if (!plan.ok()) std::abort();
  return std::make_shared<SamplingPlan>(*std::move(plan));
}

// Makes whole batches as a server does: numbered, with original ids. The
// argument is node2vec's q.
void WholeWalkBatches(benchmark::State& state) {
  RunBatches(state, MakeWalkPlan(static_cast<double>(state.range(0))));
}
BENCHMARK(WholeWalkBatches)->Arg(1)->Arg(2)->MinTime(2);

}  // namespace
}  // namespace tributary
