// A value that one thread waits for and another brings.
#ifndef TRIBUTARY_COMMON_RUNTIME_PROMISED_H_
#define TRIBUTARY_COMMON_RUNTIME_PROMISED_H_

#include <chrono>
#include <optional>
#include <utility>

#include "absl/time/time.h"
#include "common/runtime/mutex.h"

namespace tributary {

// For threads that may block: user code, tests, a process's end. State machines
// post continuations instead. Shared by both sides. Thread-safe.
template <typename T>
class Promised {
 public:
  // Once.
  void Set(T value) {
    {
      MutexLock lock(mutex_);
      value_.emplace(std::move(value));
    }
    set_.NotifyAll();
  }

  // Takes the value; none when it has not come within `timeout`, which is
  // finite.
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
