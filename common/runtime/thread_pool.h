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
  void RunTasks();
  void RunTimers();

  Mutex mutex_;
  CondVar task_ready_;
  CondVar timer_changed_;
  std::deque<Task> tasks_ ABSL_GUARDED_BY(mutex_);
  std::map<std::pair<absl::Time, TimerId>, Task> timers_
      ABSL_GUARDED_BY(mutex_);
  std::map<TimerId, absl::Time> timer_times_ ABSL_GUARDED_BY(mutex_);
  TimerId next_timer_ ABSL_GUARDED_BY(mutex_) = 1;
  bool stopping_ ABSL_GUARDED_BY(mutex_) = false;
  std::vector<std::thread> threads_;
  std::thread timer_thread_;
};

}  // namespace tributary

#endif  // TRIBUTARY_COMMON_RUNTIME_THREAD_POOL_H_
