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
#include "common/runtime/executor.h"
#include "common/runtime/mutex.h"

namespace tributary {

// Runs tasks on worker threads. The constructor starts the threads; the
// destructor runs the tasks that are already posted, drops timers that are not
// due and joins the threads. Thread-safe.
class ThreadPool final : public Executor {
 public:
  // `name` is the threads' name in the system's tools (15 characters);
  // num_threads >= 1. Throws std::system_error if the system grants no more
  // threads.
  ThreadPool(const std::string& name, int num_threads);
  ~ThreadPool() override;

  const Clock& clock() const override { return SteadyClock(); }
  void Post(Task task) override;
  TimerId PostAt(absl::Time when, Task task) override;
  bool CancelTimer(TimerId id) override;

 private:
  void Join();
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
