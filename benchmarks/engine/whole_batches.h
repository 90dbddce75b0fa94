// Benchmarks whole batches: all steps of a server's batch task, up to the last
// tensor.
#ifndef TRIBUTARY_BENCHMARKS_ENGINE_WHOLE_BATCHES_H_
#define TRIBUTARY_BENCHMARKS_ENGINE_WHOLE_BATCHES_H_

#include <benchmark/benchmark.h>

#include <memory>

#include "sampler_server/engine/plan/plan.h"

namespace tributary {

// Makes batches of the plan, one after another on the calling thread.
void RunBatches(benchmark::State& state,
                std::shared_ptr<const SamplingPlan> plan, bool compact = false);

}  // namespace tributary

#endif  // TRIBUTARY_BENCHMARKS_ENGINE_WHOLE_BATCHES_H_
