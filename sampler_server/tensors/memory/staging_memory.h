// The memory of gradients that wait for the end of their rounds.
#ifndef TRIBUTARY_SAMPLER_SERVER_TENSORS_MEMORY_STAGING_MEMORY_H_
#define TRIBUTARY_SAMPLER_SERVER_TENSORS_MEMORY_STAGING_MEMORY_H_

#include <cstddef>
#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "common/runtime/byte_budget.h"
#include "common/runtime/shared_budget.h"
#include "sampler_server/jobs/job_weights.h"
#include "sampler_server/tensors/memory/tensor_memory.h"

namespace tributary {

// Bytes that are returned on destruction; one of the two has them.
struct StagedMemory {
  Reservation of_job;
  BudgetShare::Hold of_all;
};

// Gives out a quarter of --tensor-memory. A job that --job-weights list has its
// part for itself. All others share the rest by caller (SharedBudget): one
// alone stages at most half, so that whoever comes later finds something.
// Thread-safe.
class StagingMemory {
 public:
  StagingMemory(std::string name, size_t limit, const JobWeights& weights);

  // Returns the bytes that the ranks of one attempt of `job` may stage.
  size_t MostOf(const std::string& job) const;
  // Reserves `bytes` for `job`, whose attempt `caller` (Caller::share_key) has
  // opened. RESOURCE_EXHAUSTED, to be tried again, if they do not fit now.
  absl::StatusOr<StagedMemory> Reserve(const std::string& job,
                                       const std::string& caller, size_t bytes);

  size_t limit() const { return listed_.limit(); }
  size_t used() const { return listed_.used() + others_->used(); }

 private:
  const JobWeights weights_;
  TensorMemory listed_;
  const std::shared_ptr<SharedBudget> others_;
};

}  // namespace tributary

#endif  // TRIBUTARY_SAMPLER_SERVER_TENSORS_MEMORY_STAGING_MEMORY_H_
