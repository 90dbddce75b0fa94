// Measures how long one batch is in each stage on its server.
#ifndef TRIBUTARY_SAMPLER_SERVER_SERVICE_GRANTS_STAGE_TIMES_H_
#define TRIBUTARY_SAMPLER_SERVER_SERVICE_GRANTS_STAGE_TIMES_H_

#include <array>
#include <cstddef>

#include "absl/time/time.h"
#include "common/proto/wire.pb.h"
#include "common/runtime/clock.h"
#include "common/runtime/mutex.h"

namespace tributary {

// The parts of a batch's time on its server, in the order in which they begin.
// Those of sampling and of gathering may take turns.
enum class BatchPart {
  kQueue,        // waits for its turn and for memory
  kSample,       // draws neighbours and numbers nodes
  kSamplePeers,  // waits for neighbours of other partitions
  kGather,       // copies rows that are in memory here
  kGatherDisk,   // waits for rows in files
  kGatherPeers,  // waits for rows of other partitions, and puts them in place
  kSend,         // until the network has taken the last frame
};
inline constexpr size_t kNumBatchParts = 7;

// Returns the part's name in metrics and messages: "queue", "sample",
// "sample_peers", "gather", "gather_disk", "gather_peers", "send".
inline const char* BatchPartName(BatchPart part) {
  static constexpr const char* kNames[kNumBatchParts] = {
      "queue",       "sample",       "sample_peers", "gather",
      "gather_disk", "gather_peers", "send"};
  return kNames[static_cast<size_t>(part)];
}

// The time of each part, by its number.
using BatchPartTimes = std::array<absl::Duration, kNumBatchParts>;

inline absl::Duration Total(const BatchPartTimes& times) {
  absl::Duration total;
  for (const absl::Duration time : times) total += time;
  return total;
}

// A stopwatch over the stages that Progress tells of. Each moment since its
// construction counts for exactly one part, so the parts add up to the time
// since then. Thread-safe: the stream and the task enter stages.
class StageTimes {
 public:
  // The batch is queued from now on. `clock` outlives the object.
  explicit StageTimes(const Clock* clock)
      : clock_(clock), since_(clock->Now()) {}

  // Waiting for a peer or a disk belongs to sampling or gathering, whichever
  // began last. STAGE_UNSPECIFIED and STAGE_WAITING_FOR_ROOM change no part.
  void Enter(v1::Stage stage) {
    MutexLock lock(mutex_);
    Count(clock_->Now());
    stage_ = stage;
    part_ = PartOf(stage);
  }
  v1::Stage stage() const {
    MutexLock lock(mutex_);
    return stage_;
  }
  // Returns the times so far.
  BatchPartTimes Times() const {
    MutexLock lock(mutex_);
    BatchPartTimes times = times_;
    times[static_cast<size_t>(part_)] += clock_->Now() - since_;
    return times;
  }

 private:
  void Count(absl::Time now) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_) {
    times_[static_cast<size_t>(part_)] += now - since_;
    since_ = now;
  }
  BatchPart PartOf(v1::Stage stage) const
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_) {
    switch (stage) {
      case v1::STAGE_QUEUED:
        return BatchPart::kQueue;
      case v1::STAGE_SAMPLING:
        return BatchPart::kSample;
      case v1::STAGE_WAITING_FOR_PEER:
        return gathers() ? BatchPart::kGatherPeers : BatchPart::kSamplePeers;
      case v1::STAGE_WAITING_FOR_DISK:
        return BatchPart::kGatherDisk;
      case v1::STAGE_GATHERING:
        return BatchPart::kGather;
      case v1::STAGE_SENDING:
        return BatchPart::kSend;
      default:
        return part_;
    }
  }
  bool gathers() const ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_) {
    return part_ == BatchPart::kGather || part_ == BatchPart::kGatherDisk ||
           part_ == BatchPart::kGatherPeers;
  }

  const Clock* const clock_;
  mutable Mutex mutex_;
  v1::Stage stage_ ABSL_GUARDED_BY(mutex_) = v1::STAGE_QUEUED;
  BatchPart part_ ABSL_GUARDED_BY(mutex_) = BatchPart::kQueue;
  absl::Time since_ ABSL_GUARDED_BY(mutex_);
  BatchPartTimes times_ ABSL_GUARDED_BY(mutex_) = {};
};

}  // namespace tributary

#endif  // TRIBUTARY_SAMPLER_SERVER_SERVICE_GRANTS_STAGE_TIMES_H_
