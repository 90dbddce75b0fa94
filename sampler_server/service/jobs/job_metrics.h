// The figures of each job.
#ifndef TRIBUTARY_SAMPLER_SERVER_SERVICE_JOBS_JOB_METRICS_H_
#define TRIBUTARY_SAMPLER_SERVER_SERVICE_JOBS_JOB_METRICS_H_

#include <map>
#include <string>
#include <vector>

#include "common/observe/metrics.h"
#include "common/runtime/mutex.h"
#include "sampler_server/service/jobs/admission.h"

namespace tributary {

// Clients make up the names of jobs, and a metric is never forgotten: so listed
// jobs have figures of their own, as have the first few others; all further
// ones have them together, as kFurther. Thread-safe.
class JobMetrics {
 public:
  static constexpr size_t kMostUnlisted = 32;
  static constexpr char kFurther[] = "(others)";

  // Before anything else; without it nothing is counted.
  void Use(Metrics* metrics);
  // A task of the job has ended.
  void Made(const std::string& job, bool listed, const BatchCost& cost);
  // What jobs have now, in place of what was shown before.
  void Show(const std::vector<JobState>& jobs);

 private:
  struct Figures {
    Counter batches;
    Counter bytes;
    Counter cpu_seconds;
    Gauge waiting;
    Gauge unread;
  };
  std::string LabelOf(const std::string& job, bool listed)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  Figures& FiguresOf(const std::string& label)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);

  Mutex mutex_;
  Metrics* metrics_ ABSL_GUARDED_BY(mutex_) = nullptr;
  std::map<std::string, Figures> figures_ ABSL_GUARDED_BY(mutex_);
  size_t unlisted_ ABSL_GUARDED_BY(mutex_) = 0;  // of them
};

}  // namespace tributary

#endif  // TRIBUTARY_SAMPLER_SERVER_SERVICE_JOBS_JOB_METRICS_H_
