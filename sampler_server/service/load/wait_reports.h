// The waits that trainers report on their batch streams.
#ifndef TRIBUTARY_SAMPLER_SERVER_SERVICE_LOAD_WAIT_REPORTS_H_
#define TRIBUTARY_SAMPLER_SERVER_SERVICE_LOAD_WAIT_REPORTS_H_

#include <cstdint>
#include <map>
#include <string>

#include "absl/time/time.h"
#include "common/runtime/mutex.h"

namespace tributary {

// Keeps the latest report of each stream, so it is bounded by their number.
// All streams of a trainer report the same. A report that is not followed by
// another is forgotten after kLifetime. Thread-safe; times are the caller's, of
// one clock.
class WaitReports {
 public:
  static constexpr absl::Duration kLifetime = absl::Minutes(1);

  // Sets the report of a stream, which belongs to `job`: the share of the last
  // minute in which its trainer was blocked waiting for a batch, 0 to 1.
  void Set(uint64_t stream, const std::string& job, double wait_ratio,
           absl::Time now);
  // Forgets a stream that has closed.
  void Remove(uint64_t stream);

  // Returns the largest report of each job that has one. The ranks of a job
  // wait for one another in the reduction of gradients, so the rank that waits
  // most for batches tells what the job waits.
  std::map<std::string, double> ByJob(absl::Time now) const;
  // Returns the largest report of all; 0 if there is none.
  double Largest(absl::Time now) const;

 private:
  struct Report {
    std::string job;
    double wait_ratio = 0;
    absl::Time at;
  };

  mutable Mutex mutex_;
  std::map<uint64_t, Report> by_stream_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace tributary

#endif  // TRIBUTARY_SAMPLER_SERVER_SERVICE_LOAD_WAIT_REPORTS_H_
