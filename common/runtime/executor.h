// Executor runs tasks and timers; Strand runs tasks one at a time on an
// Executor. Both are injected, so that a simulation can run a whole fleet on
// one thread.
#ifndef TRIBUTARY_COMMON_RUNTIME_EXECUTOR_H_
#define TRIBUTARY_COMMON_RUNTIME_EXECUTOR_H_

#include <cstdint>
#include <deque>
#include <memory>
#include <utility>

#include "absl/functional/any_invocable.h"
#include "absl/time/time.h"
#include "common/runtime/clock.h"
#include "common/runtime/cpu_meter.h"
#include "common/runtime/mutex.h"

namespace tributary {

using Task = absl::AnyInvocable<void()>;

// Identifies a timer of one Executor; 0 is no timer.
using TimerId = uint64_t;

// Runs tasks, now or at a given time. Tasks must not block: code that waits
// posts its continuation instead. Thread-safe.
class Executor {
 public:
  virtual ~Executor() = default;
  virtual const Clock& clock() const = 0;
  // Runs `task` soon, never inside this call. Tasks may run in any order.
  virtual void Post(Task task) = 0;
  // Runs `task` once clock().Now() >= when, never inside this call.
  virtual TimerId PostAt(absl::Time when, Task task) = 0;
  // Cancels a timer. Returns true if its task had not started and now never
  // will.
  virtual bool CancelTimer(TimerId id) = 0;

  absl::Time Now() const { return clock().Now(); }
  TimerId PostAfter(absl::Duration delay, Task task) {
    return PostAt(Now() + delay, std::move(task));
  }
};

// Runs tasks on an Executor in the order posted, never two at once. State
// machines whose methods all run on one strand need no lock.
//
// Create with std::make_shared; queued tasks keep the strand alive. The
// Executor must outlive it. If the Executor drops a task (as a crashed
// simulated node does), the strand drops all tasks that are queued. The CPU
// time of its tasks is added to `meter`, if one is given.
class Strand : public std::enable_shared_from_this<Strand> {
 public:
  explicit Strand(Executor* executor, std::shared_ptr<CpuMeter> meter = nullptr)
      : executor_(executor), meter_(std::move(meter)) {}
  Executor* executor() const { return executor_; }
  absl::Time Now() const { return executor_->Now(); }
  // Thread-safe.
  void Post(Task task);
  // Posts `task` to the strand at `when`. A task that has reached the strand
  // can no longer be cancelled: it must check that it is still wanted.
  TimerId PostAt(absl::Time when, Task task);
  TimerId PostAfter(absl::Duration delay, Task task) {
    return PostAt(Now() + delay, std::move(task));
  }
  bool CancelTimer(TimerId id) { return executor_->CancelTimer(id); }

 private:
  class Turn;
  void RunOne();
  void DropAll();

  Executor* const executor_;
  const std::shared_ptr<CpuMeter> meter_;
  Mutex mutex_;
  std::deque<Task> tasks_ ABSL_GUARDED_BY(mutex_);
  bool scheduled_ ABSL_GUARDED_BY(mutex_) = false;
};

}  // namespace tributary

#endif  // TRIBUTARY_COMMON_RUNTIME_EXECUTOR_H_
