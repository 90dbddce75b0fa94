// The times that a peer takes to answer calls.
#ifndef TRIBUTARY_SAMPLER_SERVER_PEERS_ANSWER_TIMES_H_
#define TRIBUTARY_SAMPLER_SERVER_PEERS_ANSWER_TIMES_H_

#include <algorithm>
#include <cmath>
#include <set>

#include "absl/time/time.h"
#include "common/runtime/mutex.h"

namespace tributary {

// An exponentially weighted mean of the latest answers, which calls that still
// wait raise at once: a peer that has become slow is known by the first of
// them, not by its answer. Without answers it is forgotten by half in each
// kHalfLife, so that a peer that nobody asks any more is tried again. Times are
// those of one clock. Thread-safe.
class AnswerTimes {
 public:
  static constexpr absl::Duration kHalfLife = absl::Seconds(1);
  static constexpr double kWeightOfLatest = 0.125;

  // A call begins at `now`; End follows.
  void Begin(absl::Time now) {
    MutexLock lock(mutex_);
    pending_.insert(now);
  }
  // The call that began at `began` ends. One that failed says only that the
  // peer takes no less time than it took.
  void End(absl::Time began, absl::Time now, bool answered) {
    MutexLock lock(mutex_);
    pending_.erase(pending_.find(began));
    const absl::Duration took = now - began;
    const absl::Duration mean = MeanAt(now);
    if (!answered && took <= mean) return;
    mean_ = answered ? mean + kWeightOfLatest * (took - mean) : took;
    as_of_ = now;
  }
  // Returns the time that an answer is expected to take; zero: not known.
  absl::Duration Expected(absl::Time now) const {
    MutexLock lock(mutex_);
    const absl::Duration mean = MeanAt(now);
    return pending_.empty() ? mean : std::max(mean, now - *pending_.begin());
  }

 private:
  absl::Duration MeanAt(absl::Time now) const
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_) {
    return mean_ * std::exp2(-absl::FDivDuration(now - as_of_, kHalfLife));
  }

  mutable Mutex mutex_;
  std::multiset<absl::Time> pending_ ABSL_GUARDED_BY(mutex_);
  absl::Duration mean_ ABSL_GUARDED_BY(mutex_);
  absl::Time as_of_ ABSL_GUARDED_BY(mutex_) = absl::UnixEpoch();
};

}  // namespace tributary

#endif  // TRIBUTARY_SAMPLER_SERVER_PEERS_ANSWER_TIMES_H_
