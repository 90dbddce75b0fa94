#include "common/runtime/executor.h"

#include <utility>

namespace tributary {

// The task that a strand posts to its executor. Runs one task of the strand; if
// the executor destroys it without running it, drops all of the strand's tasks,
// since they may own the strand.
class Strand::Turn {
 public:
  explicit Turn(std::shared_ptr<Strand> strand) : strand_(std::move(strand)) {}
  Turn(Turn&&) = default;
  ~Turn() {
    if (strand_ != nullptr) strand_->DropAll();
  }
  void operator()() { std::exchange(strand_, nullptr)->RunOne(); }

 private:
  std::shared_ptr<Strand> strand_;
};

void Strand::Post(Task task) {
  {
    MutexLock lock(mutex_);
    tasks_.push_back(std::move(task));
    if (scheduled_) return;
    scheduled_ = true;
  }
  executor_->Post(Turn(shared_from_this()));
}

TimerId Strand::PostAt(absl::Time when, Task task) {
  return executor_->PostAt(
      when, [self = shared_from_this(), task = std::move(task)]() mutable {
        self->Post(std::move(task));
      });
}

void Strand::DropAll() {
  std::deque<Task>
      dropped;  // destroyed outside the lock: they may own anything
  MutexLock lock(mutex_);
  dropped.swap(tasks_);
  scheduled_ = false;
}

// Runs one task per turn, so that strands share the executor fairly.
void Strand::RunOne() {
  Task task;
  {
    MutexLock lock(mutex_);
    task = std::move(tasks_.front());
    tasks_.pop_front();
  }
  {
    const CpuMeter::Scope scope(meter_.get());
    task();
    task = nullptr;  // destroys its captures before the next task runs
  }
  {
    MutexLock lock(mutex_);
    if (tasks_.empty()) {
      scheduled_ = false;
      return;
    }
  }
  executor_->Post(Turn(shared_from_this()));
}

}  // namespace tributary
