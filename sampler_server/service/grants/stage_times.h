// Measures how long one batch is in each stage on its server.
#ifndef TRIBUTARY_SAMPLER_SERVER_SERVICE_GRANTS_STAGE_TIMES_H_
#define TRIBUTARY_SAMPLER_SERVER_SERVICE_GRANTS_STAGE_TIMES_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "absl/time/time.h"
#include "common/proto/trace.pb.h"
#include "common/proto/wire.pb.h"
#include "common/runtime/clock.h"
#include "common/runtime/mutex.h"
#include "common/trace/stage_names.h"

namespace tributary {

// The time of each TimedStage, by its number.
using TimesByStage = std::array<absl::Duration, kNumTimedStages>;

inline absl::Duration Total(const TimesByStage& times) {
  absl::Duration total;
  for (const absl::Duration time : times) total += time;
  return total;
}

// A stopwatch over the stages that Progress tells of. Each moment since its
// construction counts for exactly one TimedStage, so the times add up to the
// time since then. Keeps the first kMaxSpans changes, too. Thread-safe: the
// stream and the task enter stages.
class StageTimes {
 public:
  static constexpr size_t kMaxSpans = 32;

  // The batch is queued from now on. `clock` outlives the object.
  explicit StageTimes(const Clock* clock)
      : clock_(clock), start_(clock->Now()), since_(start_), entered_(start_) {}

  // Waiting for a peer or a disk belongs to sampling or gathering, whichever
  // began last. STAGE_UNSPECIFIED and STAGE_WAITING_FOR_ROOM go on with
  // the TimedStage before.
  void Enter(v1::Stage stage) {
    MutexLock lock(mutex_);
    const absl::Time now = clock_->Now();
    Count(now);
    stage_ = stage;
    const TimedStage timed = TimedStageOf(stage);
    if (timed != timed_) Close(now);
    timed_ = timed;
  }
  v1::Stage stage() const {
    MutexLock lock(mutex_);
    return stage_;
  }
  absl::Time start() const { return start_; }
  // Returns the times so far.
  TimesByStage Times() const {
    MutexLock lock(mutex_);
    TimesByStage times = times_;
    times[static_cast<size_t>(timed_)] += clock_->Now() - since_;
    return times;
  }
  // Sets the trace's times and spans so far.
  void FillTrace(v1::BatchTrace* trace) const;

 private:
  // A stage that has ended.
  struct Span {
    TimedStage stage;
    absl::Time from;
    absl::Time to;
  };

  void Count(absl::Time now) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_) {
    times_[static_cast<size_t>(timed_)] += now - since_;
    since_ = now;
  }
  // The timed stage ends.
  void Close(absl::Time now) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_) {
    if (spans_.size() < kMaxSpans) {
      spans_.push_back({timed_, entered_, now});
    } else {
      ++more_spans_;
    }
    entered_ = now;
  }
  void AddSpan(const Span& span, v1::BatchTrace* trace) const;
  TimedStage TimedStageOf(v1::Stage stage) const
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_) {
    switch (stage) {
      case v1::STAGE_QUEUED:
        return TimedStage::kQueue;
      case v1::STAGE_SAMPLING:
        return TimedStage::kSample;
      case v1::STAGE_WAITING_FOR_PEER:
        return gathers() ? TimedStage::kGatherPeers : TimedStage::kSamplePeers;
      case v1::STAGE_WAITING_FOR_DISK:
        return TimedStage::kGatherDisk;
      case v1::STAGE_GATHERING:
        return TimedStage::kGather;
      case v1::STAGE_SENDING:
        return TimedStage::kSend;
      default:
        return timed_;
    }
  }
  bool gathers() const ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_) {
    return timed_ == TimedStage::kGather || timed_ == TimedStage::kGatherDisk ||
           timed_ == TimedStage::kGatherPeers;
  }

  const Clock* const clock_;
  const absl::Time start_;
  mutable Mutex mutex_;
  v1::Stage stage_ ABSL_GUARDED_BY(mutex_) = v1::STAGE_QUEUED;
  TimedStage timed_ ABSL_GUARDED_BY(mutex_) = TimedStage::kQueue;
  absl::Time since_ ABSL_GUARDED_BY(mutex_);
  absl::Time entered_ ABSL_GUARDED_BY(mutex_);  // timed_
  std::vector<Span> spans_ ABSL_GUARDED_BY(mutex_);
  uint32_t more_spans_ ABSL_GUARDED_BY(mutex_) = 0;
  TimesByStage times_ ABSL_GUARDED_BY(mutex_) = {};
};

}  // namespace tributary

#endif  // TRIBUTARY_SAMPLER_SERVER_SERVICE_GRANTS_STAGE_TIMES_H_
