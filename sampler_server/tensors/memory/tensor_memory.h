// The memory of mutable rows (--tensor-memory) and the jobs' shares of it.
#ifndef TRIBUTARY_SAMPLER_SERVER_TENSORS_MEMORY_TENSOR_MEMORY_H_
#define TRIBUTARY_SAMPLER_SERVER_TENSORS_MEMORY_TENSOR_MEMORY_H_

#include <cstddef>
#include <map>
#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "common/runtime/byte_budget.h"
#include "common/runtime/mutex.h"
#include "sampler_server/jobs/job_weights.h"

namespace tributary {

// Gives out memory for tensors. Without listed jobs, all jobs share the whole;
// with --job-weights each listed job has its weight's part of it, and all
// others together have that of `*`. Reservations outlive it. Thread-safe.
class TensorMemory {
 public:
  // `name` is the option that sets the limit, for messages.
  TensorMemory(std::string name, size_t limit, JobWeights weights);

  // Reserves `bytes` of the job's share, for `what`. RESOURCE_EXHAUSTED, naming
  // the option, the bytes wanted and those free, if they do not fit now.
  absl::StatusOr<Reservation> Reserve(const std::string& job, size_t bytes,
                                      const std::string& what);
  // Returns the bytes that the job may have in all.
  size_t ShareOf(const std::string& job) const;

  size_t limit() const { return limit_; }
  size_t used() const;

 private:
  // The job's name, or "*" for those that share with others.
  std::string AccountOf(const std::string& job) const {
    return weights_.Lists(job) ? job : "*";
  }

  const std::string name_;
  const size_t limit_;
  const JobWeights weights_;
  mutable Mutex mutex_;
  std::map<std::string, std::shared_ptr<ByteBudget>> accounts_
      ABSL_GUARDED_BY(mutex_);
};

}  // namespace tributary

#endif  // TRIBUTARY_SAMPLER_SERVER_TENSORS_MEMORY_TENSOR_MEMORY_H_
