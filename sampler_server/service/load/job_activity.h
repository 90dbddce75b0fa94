// What a server made for each job in the last minute.
#ifndef TRIBUTARY_SAMPLER_SERVER_SERVICE_LOAD_JOB_ACTIVITY_H_
#define TRIBUTARY_SAMPLER_SERVER_SERVICE_LOAD_JOB_ACTIVITY_H_

#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/time/time.h"
#include "common/runtime/mutex.h"
#include "sampler_server/service/grants/stage_times.h"

namespace tributary {

// A batch that the network, or the trainer's room, has taken whole.
struct DeliveredBatch {
  uint64_t epoch = 0;
  uint64_t index = 0;
  uint64_t bytes = 0;
  TimesByStage times = {};
};

// Figures of one job, of the last minute.
struct JobFigures {
  std::string job;  // or JobActivity::kOthers
  bool listed = false;
  uint64_t batches = 0;
  uint64_t bytes = 0;
  uint64_t failed = 0;
  TimesByStage times = {};  // summed over the batches
  // Of which the sums are: the last minute, or the time since the job's first
  // batch if that is less, but 5 s at least. Divide by it for rates.
  absl::Duration covered;
  DeliveredBatch slowest;  // the one that took longest; no times: none
  std::string last_error;  // of a batch that failed; at most 256 bytes
};

// Counts in buckets of 5 s, so "the last minute" is 55 to 60 s. Clients choose
// the names of jobs: jobs that the operator lists have figures of their own, as
// have 32 others; all further ones share kOthers. A job that was silent for 10
// minutes gives its place back. So memory is bounded by 192 KiB and the
// listed jobs. Thread-safe. Times are the caller's, of one clock.
class JobActivity {
 public:
  static constexpr size_t kMaxUnlisted = 32;
  static constexpr char kOthers[] = "(others)";
  static constexpr absl::Duration kBucket = absl::Seconds(5);
  static constexpr size_t kBuckets = 12;
  static constexpr absl::Duration kForgotten = absl::Minutes(10);

  void AddDelivered(const std::string& job, bool listed,
                    const DeliveredBatch& batch, absl::Time now);
  void AddFailed(const std::string& job, bool listed, const absl::Status& why,
                 absl::Time now);

  // Returns the jobs that have a place, by name; kOthers last, if it was used.
  std::vector<JobFigures> Jobs(absl::Time now) const;

 private:
  struct Bucket {
    int64_t number = -1;  // of the 5 s; others than the last 12 count nothing
    uint64_t batches = 0;
    uint64_t bytes = 0;
    uint64_t failed = 0;
    TimesByStage times = {};
    DeliveredBatch slowest;
  };
  struct Job {
    bool listed = false;
    absl::Time first;  // since it has its place
    absl::Time last;
    std::string last_error;
    std::array<Bucket, kBuckets> buckets;
  };

  Job& PlaceOf(const std::string& job, bool listed, absl::Time now)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void ForgetSilent(absl::Time now) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  Bucket& BucketOf(Job& job, absl::Time now)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  static JobFigures FiguresOf(const std::string& name, const Job& job,
                              absl::Time now);

  mutable Mutex mutex_;
  std::map<std::string, Job> jobs_ ABSL_GUARDED_BY(mutex_);  // without others_
  size_t unlisted_ ABSL_GUARDED_BY(mutex_) = 0;              // of jobs_
  Job others_ ABSL_GUARDED_BY(mutex_);
  bool others_used_ ABSL_GUARDED_BY(mutex_) = false;
};

}  // namespace tributary

#endif  // TRIBUTARY_SAMPLER_SERVER_SERVICE_LOAD_JOB_ACTIVITY_H_
