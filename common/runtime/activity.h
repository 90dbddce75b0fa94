// Counts the work that is under way, so that a drain knows when it is done.
#ifndef TRIBUTARY_COMMON_RUNTIME_ACTIVITY_H_
#define TRIBUTARY_COMMON_RUNTIME_ACTIVITY_H_

#include <memory>
#include <utility>
#include <vector>

#include "absl/functional/any_invocable.h"
#include "common/runtime/mutex.h"

namespace tributary {

// A reference count with callbacks for zero: each batch has a hold on its
// server and on its graph. Thread-safe. Create with std::make_shared; holds
// keep it alive.
class Activity : public std::enable_shared_from_this<Activity> {
 public:
  // Counts as work under way until the result is destroyed.
  std::shared_ptr<const void> Hold() {
    {
      MutexLock lock(mutex_);
      ++count_;
    }
    return std::shared_ptr<const void>(
        this, [self = shared_from_this()](const void*) { self->Release(); });
  }

  // Runs `idle` once, as soon as no work is under way: inside this call, or
  // inside the destructor of the last hold.
  void OnIdle(absl::AnyInvocable<void()> idle) {
    {
      MutexLock lock(mutex_);
      if (count_ > 0) {
        waiting_.push_back(std::move(idle));
        return;
      }
    }
    idle();
  }

  size_t count() const {
    MutexLock lock(mutex_);
    return count_;
  }

 private:
  void Release() {
    std::vector<absl::AnyInvocable<void()>> idle;
    {
      MutexLock lock(mutex_);
      if (--count_ == 0) idle.swap(waiting_);
    }
    for (auto& callback : idle) callback();
  }

  mutable Mutex mutex_;
  size_t count_ ABSL_GUARDED_BY(mutex_) = 0;
  std::vector<absl::AnyInvocable<void()>> waiting_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace tributary

#endif  // TRIBUTARY_COMMON_RUNTIME_ACTIVITY_H_
