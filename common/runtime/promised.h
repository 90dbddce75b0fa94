// A value that one thread waits for and another thread sets.
#ifndef TRIBUTARY_COMMON_RUNTIME_PROMISED_H_
#define TRIBUTARY_COMMON_RUNTIME_PROMISED_H_

#include <chrono>
#include <optional>
#include <utility>

#include "absl/time/time.h"
#include "common/runtime/mutex.h"

namespace tributary {

// A one-time value for threads that may block: user code, tests, the end of a
// process. State machines post continuations instead. Both sides share it.
// Thread-safe.
template <typename T>
class Promised {
 public:
  // Sets the value and wakes the waiters. Call at most once.
  void Set(T value) {
    {
      MutexLock lock(mutex_);
      value_.emplace(std::move(value));
    }
    set_.NotifyAll();
  }

  // Waits for the value and moves it out. Returns nullopt if it has not been
  // set within `timeout`, which must be finite.
  std::optional<T> Wait(absl::Duration timeout) {
    const auto deadline =
        std::chrono::steady_clock::now() + absl::ToChronoNanoseconds(timeout);
    MutexLock lock(mutex_);
    while (!value_.has_value() && set_.WaitUntil(mutex_, deadline)) {
    }
    return std::exchange(value_, std::nullopt);
  }

 private:
  Mutex mutex_;
  CondVar set_;
  std::optional<T> value_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace tributary

#endif  // TRIBUTARY_COMMON_RUNTIME_PROMISED_H_
