#include "sampler_server/tensors/memory/staging_memory.h"

#include <utility>

#include "common/text/status.h"

namespace tributary {

StagingMemory::StagingMemory(std::string name, size_t limit,
                             const JobWeights& weights)
    : weights_(weights),
      listed_(name, limit, weights),
      others_(SharedBudget::Create(std::move(name), listed_.ShareOf("*"))) {}

size_t StagingMemory::MostOf(const std::string& job) const {
  return weights_.Lists(job) ? listed_.ShareOf(job) : others_->limit() / 2;
}

absl::StatusOr<StagedMemory> StagingMemory::Reserve(const std::string& job,
                                                    const std::string& caller,
                                                    size_t bytes) {
  StagedMemory memory;
  if (bytes == 0) return memory;
  if (weights_.Lists(job)) {
    ASSIGN_OR_RETURN(memory.of_job,
                     listed_.Reserve(job, bytes, "a part of a round"));
  } else {
    // As a stream of its own, so that only what the caller holds counts.
    ASSIGN_OR_RETURN(memory.of_all, others_->Open(caller)->TryTake(bytes));
  }
  return memory;
}

}  // namespace tributary
