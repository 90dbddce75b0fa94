// The share of a server's capacity that was in use in the last minute.
#ifndef TRIBUTARY_SAMPLER_SERVER_SERVICE_LOAD_BUSY_METER_H_
#define TRIBUTARY_SAMPLER_SERVER_SERVICE_LOAD_BUSY_METER_H_

#include <functional>
#include <memory>

#include "absl/time/time.h"
#include "common/runtime/executor.h"
#include "common/runtime/mutex.h"
#include "sampler_server/service/load/recent_share.h"

namespace tributary {

// For how long each of a server's limits has been in use since the server
// started. Of n threads each counts 1/n.
struct BusyTimes {
  absl::Duration sampling;  // threads that make batches
  absl::Duration leaf;      // threads that answer peers
  absl::Duration rate;      // --max-rate; see Admission::rate_time
  absl::Duration cpu;       // of the process, by cores that it has for itself
};

// A server is as busy as the limit that is closest to its end: the largest of
// the four shares. What waits for a peer, a disk or a reader holds no thread,
// and so is not busy. The process's CPU time is a limit of its own, because
// sending batches takes more of it than making them where features are wide,
// and no thread that samples is held by that.
//
// Reads the times once a second, on the executor. Thread-safe. Create with
// std::make_shared; the executor outlives it.
class BusyMeter : public std::enable_shared_from_this<BusyMeter> {
 public:
  // `times` may be called on any thread, until this is destroyed.
  BusyMeter(Executor* executor, std::function<BusyTimes()> times)
      : executor_(executor), times_(std::move(times)) {}

  // Call it once.
  void Start() { Sample(); }
  // Returns the share of the last minute, from 0 to 1.
  double Ratio() const;

 private:
  void Sample();

  Executor* const executor_;
  const std::function<BusyTimes()> times_;
  mutable Mutex mutex_;
  RecentShare sampling_ ABSL_GUARDED_BY(mutex_);
  RecentShare leaf_ ABSL_GUARDED_BY(mutex_);
  RecentShare rate_ ABSL_GUARDED_BY(mutex_);
  RecentShare cpu_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace tributary

#endif  // TRIBUTARY_SAMPLER_SERVER_SERVICE_LOAD_BUSY_METER_H_
