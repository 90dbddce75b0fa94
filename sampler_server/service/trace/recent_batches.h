// The batches that a server made lately, with the traces of their time.
#ifndef TRIBUTARY_SAMPLER_SERVER_SERVICE_TRACE_RECENT_BATCHES_H_
#define TRIBUTARY_SAMPLER_SERVER_SERVICE_TRACE_RECENT_BATCHES_H_

#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <string>
#include <vector>

#include "absl/time/time.h"
#include "common/proto/trace.pb.h"
#include "common/runtime/mutex.h"

namespace tributary {

// Keeps the latest batches of each job, and the slowest of those that were
// dropped to make room, for kSlowFor. Jobs share a limit of bytes: room is made
// by the one that has most of them, so that a job that makes many batches does
// not push out what is kept of others. Of kMaxJobs jobs the one that was silent
// longest is forgotten for a new one. Thread-safe; times are the caller's, of
// one clock.
class RecentBatches {
 public:
  static constexpr size_t kMaxBytes = size_t{4} << 20;
  static constexpr size_t kMaxJobs = 64;
  static constexpr size_t kMaxSlow = 16;  // of a job
  static constexpr absl::Duration kSlowFor = absl::Minutes(10);
  // The most traces that Find returns.
  static constexpr size_t kMaxFound = 16;

  explicit RecentBatches(size_t max_bytes = kMaxBytes)
      : max_bytes_(max_bytes) {}

  // Adds a batch that has ended after `took`.
  void Add(const v1::BatchTrace& trace, absl::Duration took, absl::Time now);
  // Returns what is kept of a batch: each attempt, the latest last.
  std::vector<v1::BatchTrace> Find(const std::string& job, uint64_t epoch,
                                   uint64_t index) const;
  // Returns the bytes that are held.
  size_t bytes() const;

 private:
  struct Record {
    uint64_t epoch = 0;
    uint64_t index = 0;
    absl::Duration took;
    absl::Time at;
    std::string trace;  // serialized

    size_t bytes() const { return sizeof(Record) + trace.capacity(); }
  };
  struct Job {
    std::deque<Record> latest;  // the oldest first
    std::vector<Record> slow;   // in no order
    size_t bytes = 0;
    absl::Time used;
  };

  Job& JobOf(const std::string& name) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void ForgetSilentJob() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  // Drops the oldest batch of the job with most bytes.
  void MakeRoom(absl::Time now) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  // Keeps a batch that leaves `latest` if it is among the slowest.
  void KeepIfSlow(Job& job, Record record, absl::Time now)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void ForgetSlow(Job& job, size_t which) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void Change(Job& job, size_t more, size_t less)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);

  const size_t max_bytes_;
  mutable Mutex mutex_;
  std::map<std::string, Job> jobs_ ABSL_GUARDED_BY(mutex_);
  size_t bytes_ ABSL_GUARDED_BY(mutex_) = 0;
};

}  // namespace tributary

#endif  // TRIBUTARY_SAMPLER_SERVER_SERVICE_TRACE_RECENT_BATCHES_H_
