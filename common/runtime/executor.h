// Where work runs: injected, so that a whole fleet can run on one thread.
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

// Names a timer of one Executor; 0 names none.
using TimerId = uint64_t;

// Runs tasks, now or later. Thread-safe. Tasks must not block: waiting is done
// by posting the continuation.
class Executor {
 public:
  virtual ~Executor() = default;
  virtual const Clock& clock() const = 0;
  // Runs `task` soon, never inside this call.
  virtual void Post(Task task) = 0;
  // Runs `task` once clock().Now() >= when, never inside this call.
  virtual TimerId PostAt(absl::Time when, Task task) = 0;
  // True when the task had not been started and now never will be.
  virtual bool CancelTimer(TimerId id) = 0;

  absl::Time Now() const { return clock().Now(); }
  TimerId PostAfter(absl::Duration delay, Task task) {
    return PostAt(Now() + delay, std::move(task));
  }
};

// Runs its tasks in the order posted, never two at once, on an Executor: the
// lock of a state machine whose methods all run on it. Create with
// std::make_shared; queued tasks keep it alive. The Executor outlives it; an
// Executor that drops tasks (a crashed node) drops the strand's with them. Its
// tasks' CPU time counts in `meter`, where there is one.
class Strand : public std::enable_shared_from_this<Strand> {
 public:
  explicit Strand(Executor* executor, std::shared_ptr<CpuMeter> meter = nullptr)
      : executor_(executor), meter_(std::move(meter)) {}
  Executor* executor() const { return executor_; }
  absl::Time Now() const { return executor_->Now(); }
  // Thread-safe.
  void Post(Task task);
  // The task is posted to the strand at `when`. A task that has reached the
  // strand can no longer be cancelled: it must check that it is still wanted.
  TimerId PostAt(absl::Time when, Task task);
  TimerId PostAfter(absl::Duration delay, Task task) {
    return PostAt(Now() + delay, std::move(task));
  }
  bool CancelTimer(TimerId id) { return executor_->CancelTimer(id); }

 private:
  class Turn;
  void RunSome();
  void DropAll();

  Executor* const executor_;
  const std::shared_ptr<CpuMeter> meter_;
  Mutex mutex_;
  std::deque<Task> tasks_ ABSL_GUARDED_BY(mutex_);
  bool scheduled_ ABSL_GUARDED_BY(mutex_) = false;
};

}  // namespace tributary

#endif  // TRIBUTARY_COMMON_RUNTIME_EXECUTOR_H_
