#include "common/executor.h"

#include <utility>

namespace tributary {

void Strand::Post(Task task) {
  {
    MutexLock lock(mutex_);
    tasks_.push_back(std::move(task));
    if (scheduled_) return;
    scheduled_ = true;
  }
  executor_->Post([self = shared_from_this()] { self->RunSome(); });
}

TimerId Strand::PostAt(absl::Time when, Task task) {
  return executor_->PostAt(
      when, [self = shared_from_this(), task = std::move(task)]() mutable {
        self->Post(std::move(task));
      });
}

// Runs one task a turn, so that strands share the executor fairly.
void Strand::RunSome() {
  Task task;
  {
    MutexLock lock(mutex_);
    task = std::move(tasks_.front());
    tasks_.pop_front();
  }
  task();
  task = nullptr;  // what it captured goes before the next task may run
  {
    MutexLock lock(mutex_);
    if (tasks_.empty()) {
      scheduled_ = false;
      return;
    }
  }
  executor_->Post([self = shared_from_this()] { self->RunSome(); });
}

}  // namespace tributary
