// A lock that is waited for without a thread.
#ifndef TRIBUTARY_COMMON_RUNTIME_ASYNC_LOCK_H_
#define TRIBUTARY_COMMON_RUNTIME_ASYNC_LOCK_H_

#include <deque>
#include <memory>
#include <utility>

#include "absl/functional/any_invocable.h"
#include "common/runtime/mutex.h"

namespace tributary {

// Keeps apart work that is done in steps, between which no mutex may be held.
// It is given in the order in which it was asked for. Create with
// std::make_shared; holds and those that wait keep it alive. Thread-safe.
class AsyncLock : public std::enable_shared_from_this<AsyncLock> {
 public:
  // The lock, until it is destroyed.
  using Hold = std::shared_ptr<const void>;
  // Must not work, but post what follows.
  using Taken = absl::AnyInvocable<void(Hold)>;

  // Calls `taken` with the lock: inside this call if it is free, else where the
  // one before it lets go.
  void Take(Taken taken) {
    {
      MutexLock lock(mutex_);
      if (held_) {
        waiting_.push_back(std::move(taken));
        return;
      }
      held_ = true;
    }
    taken(MakeHold());
  }

  // Returns the lock if it is free, else null.
  Hold TryTake() {
    {
      MutexLock lock(mutex_);
      if (held_) return nullptr;
      held_ = true;
    }
    return MakeHold();
  }

 private:
  Hold MakeHold() {
    return Hold(this,
                [self = shared_from_this()](const void*) { self->Release(); });
  }
  void Release() {
    Taken next;
    {
      MutexLock lock(mutex_);
      held_ = !waiting_.empty();
      if (!held_) return;
      next = std::move(waiting_.front());
      waiting_.pop_front();
    }
    next(MakeHold());
  }

  Mutex mutex_;
  bool held_ ABSL_GUARDED_BY(mutex_) = false;
  std::deque<Taken> waiting_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace tributary

#endif  // TRIBUTARY_COMMON_RUNTIME_ASYNC_LOCK_H_
