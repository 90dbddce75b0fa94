// Whole batches as a server makes them, to the last tensor in the room.
#ifndef TRIBUTARY_BENCHMARKS_ENGINE_WHOLE_BATCHES_H_
#define TRIBUTARY_BENCHMARKS_ENGINE_WHOLE_BATCHES_H_

#include <benchmark/benchmark.h>

#include <memory>

#include "sampler_server/engine/plan/plan.h"

namespace tributary {

// Batches of the plan, one after the other on this thread.
void RunBatches(benchmark::State& state,
                std::shared_ptr<const SamplingPlan> plan);

}  // namespace tributary

#endif  // TRIBUTARY_BENCHMARKS_ENGINE_WHOLE_BATCHES_H_
