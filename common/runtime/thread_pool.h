// The Executor of production: a fixed number of worker threads and a timer
// thread.
#ifndef TRIBUTARY_COMMON_RUNTIME_THREAD_POOL_H_
#define TRIBUTARY_COMMON_RUNTIME_THREAD_POOL_H_

#include <deque>
#include <map>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "absl/time/time.h"
#include "absl/types/span.h"
#include "common/runtime/executor.h"
#include "common/runtime/mutex.h"

namespace tributary {

// Runs tasks on worker threads, which the constructor starts and End joins.
// Thread-safe.
class ThreadPool final : public Executor {
 public:
  // `name` is the threads' name in the system's tools (15 characters);
  // num_threads >= 1. Throws std::system_error if the system grants no more
  // threads.
  ThreadPool(const std::string& name, int num_threads);
  // Calls End and drops what was posted since.
  ~ThreadPool() override;

  // Returns the time that the threads have spent in tasks since they started,
  // added up over the threads.
  absl::Duration BusyTime() const;

  // Runs the tasks that are already posted and joins the threads. Timers that
  // are not due, and what is posted later, never run. Call it from one thread
  // at a time, which is none of the pool's.
  void End();
  // Ends pools whose tasks post to one another, and drops what was posted to
  // one of them after its end. Then they can be destroyed in any order.
  static void EndTogether(absl::Span<ThreadPool* const> pools);

  const Clock& clock() const override { return SteadyClock(); }
  void Post(Task task) override;
  TimerId PostAt(absl::Time when, Task task) override;
  bool CancelTimer(TimerId id) override;

 private:
  // Returns whether there was anything to drop.
  bool DropAll();
  // Adds the time since the last change to idle_time_, and changes the number
  // of threads that wait for a task.
  void ChangeIdle(int by) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  absl::Duration IdleTime(absl::Time now) const
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_) {
    return idle_time_ + idle_ * (now - idle_changed_at_);
  }
  void RunTasks();
  void RunTimers();

  const int num_threads_;
  const absl::Time started_at_;
  mutable Mutex mutex_;
  CondVar task_ready_;
  CondVar timer_changed_;
  std::deque<Task> tasks_ ABSL_GUARDED_BY(mutex_);
  std::map<std::pair<absl::Time, TimerId>, Task> timers_
      ABSL_GUARDED_BY(mutex_);
  std::map<TimerId, absl::Time> timer_times_ ABSL_GUARDED_BY(mutex_);
  TimerId next_timer_ ABSL_GUARDED_BY(mutex_) = 1;
  bool stopping_ ABSL_GUARDED_BY(mutex_) = false;
  int idle_ ABSL_GUARDED_BY(mutex_) = 0;  // threads that wait for a task
  absl::Time idle_changed_at_ ABSL_GUARDED_BY(mutex_);
  absl::Duration idle_time_ ABSL_GUARDED_BY(mutex_);  // until then
  std::vector<std::thread> threads_;
  std::thread timer_thread_;
};

}  // namespace tributary

#endif  // TRIBUTARY_COMMON_RUNTIME_THREAD_POOL_H_
