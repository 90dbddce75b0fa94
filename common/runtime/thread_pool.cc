#include "common/runtime/thread_pool.h"

#include <pthread.h>

#include <chrono>
#include <system_error>
#include <utility>

namespace tributary {
namespace {

void NameThisThread(const std::string& name) {
  (void)pthread_setname_np(pthread_self(), name.substr(0, 15).c_str());
}

std::chrono::steady_clock::time_point ToSteady(absl::Time when) {
  return std::chrono::steady_clock::time_point(
      absl::ToChronoNanoseconds(when - absl::UnixEpoch()));
}

}  // namespace

ThreadPool::ThreadPool(const std::string& name, int num_threads)
    : num_threads_(num_threads),
      started_at_(SteadyClock().Now()),
      idle_changed_at_(started_at_) {
  try {
    timer_thread_ = std::thread([this, name] {
      NameThisThread(name + "-timer");
      RunTimers();
    });
    for (int i = 0; i < num_threads; ++i) {
      threads_.emplace_back([this, name] {
        NameThisThread(name);
        RunTasks();
      });
    }
  } catch (const std::system_error&) {
    End();  // joins the threads that did start
    throw;
  }
}

ThreadPool::~ThreadPool() { EndTogether({this}); }

void ThreadPool::End() {
  {
    MutexLock lock(mutex_);
    stopping_ = true;
  }
  task_ready_.NotifyAll();
  timer_changed_.NotifyAll();
  if (timer_thread_.joinable()) timer_thread_.join();
  for (std::thread& thread : threads_) thread.join();
  threads_.clear();
}

void ThreadPool::EndTogether(absl::Span<ThreadPool* const> pools) {
  for (ThreadPool* pool : pools) pool->End();
  bool dropped = true;
  while (dropped) {
    dropped = false;
    for (ThreadPool* pool : pools) dropped |= pool->DropAll();
  }
}

// The tasks are destroyed outside the lock: what they own may post again.
bool ThreadPool::DropAll() {
  std::deque<Task> tasks;
  std::map<std::pair<absl::Time, TimerId>, Task> timers;
  MutexLock lock(mutex_);
  tasks.swap(tasks_);
  timers.swap(timers_);
  timer_times_.clear();
  return !tasks.empty() || !timers.empty();
}

void ThreadPool::Post(Task task) {
  {
    MutexLock lock(mutex_);
    tasks_.push_back(std::move(task));
  }
  task_ready_.NotifyOne();
}

TimerId ThreadPool::PostAt(absl::Time when, Task task) {
  bool first = false;
  TimerId id = 0;
  {
    MutexLock lock(mutex_);
    id = next_timer_++;
    timer_times_.emplace(id, when);
    auto it = timers_.emplace(std::make_pair(when, id), std::move(task)).first;
    first = it == timers_.begin();
  }
  if (first) timer_changed_.NotifyOne();
  return id;
}

bool ThreadPool::CancelTimer(TimerId id) {
  Task dropped;  // destroyed after the lock: it may own anything
  MutexLock lock(mutex_);
  auto it = timer_times_.find(id);
  if (it == timer_times_.end()) return false;
  auto timer = timers_.find({it->second, id});
  dropped = std::move(timer->second);
  timers_.erase(timer);
  timer_times_.erase(it);
  return true;
}

absl::Duration ThreadPool::BusyTime() const {
  MutexLock lock(mutex_);
  const absl::Time now = Now();
  return num_threads_ * (now - started_at_) - IdleTime(now);
}

void ThreadPool::ChangeIdle(int by) {
  const absl::Time now = Now();
  idle_time_ = IdleTime(now);
  idle_changed_at_ = now;
  idle_ += by;
}

void ThreadPool::RunTasks() {
  while (true) {
    Task task;
    {
      MutexLock lock(mutex_);
      if (tasks_.empty() && !stopping_) {
        ChangeIdle(1);
        while (tasks_.empty() && !stopping_) task_ready_.Wait(mutex_);
        ChangeIdle(-1);
      }
      if (tasks_.empty()) return;
      task = std::move(tasks_.front());
      tasks_.pop_front();
    }
    task();
  }
}

void ThreadPool::RunTimers() {
  MutexLock lock(mutex_);
  while (!stopping_) {
    if (timers_.empty()) {
      timer_changed_.Wait(mutex_);
      continue;
    }
    auto first = timers_.begin();
    if (first->first.first > clock().Now()) {
      timer_changed_.WaitUntil(mutex_, ToSteady(first->first.first));
      continue;
    }
    timer_times_.erase(first->first.second);
    tasks_.push_back(std::move(first->second));
    timers_.erase(first);
    task_ready_.NotifyOne();
  }
}

}  // namespace tributary
