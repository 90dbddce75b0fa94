// Waits of threads that another thread cancels.
#ifndef TRIBUTARY_TRAINER_CLIENT_GRAPH_CANCELLABLE_WAITS_H_
#define TRIBUTARY_TRAINER_CLIENT_GRAPH_CANCELLABLE_WAITS_H_

#include <cstdint>
#include <functional>
#include <map>
#include <utility>

#include "common/runtime/mutex.h"

namespace tributary {

// Holds for each thread that waits the function that ends its wait.
// Thread-safe.
class CancellableWaits {
 public:
  // One wait, until its destructor.
  class Wait {
   public:
    // `end` may be called by any thread, at most once; in this call if the
    // waits are cancelled already. It must not wait itself.
    Wait(CancellableWaits* waits, std::function<void()> end)
        : waits_(waits), number_(waits->Add(std::move(end))) {}
    ~Wait() { waits_->Remove(number_); }
    Wait(const Wait&) = delete;
    Wait& operator=(const Wait&) = delete;

   private:
    CancellableWaits* const waits_;
    const uint64_t number_;
  };

  // Ends all waits, and each that begins later.
  void Cancel() {
    MutexLock lock(mutex_);
    cancelled_ = true;
    for (const auto& [number, end] : waits_) end();
    waits_.clear();
  }

 private:
  uint64_t Add(std::function<void()> end) {
    MutexLock lock(mutex_);
    if (cancelled_) {
      end();
    } else {
      waits_.emplace(++last_, std::move(end));
    }
    return last_;
  }
  void Remove(uint64_t number) {
    MutexLock lock(mutex_);
    waits_.erase(number);
  }

  Mutex mutex_;
  bool cancelled_ ABSL_GUARDED_BY(mutex_) = false;
  uint64_t last_ ABSL_GUARDED_BY(mutex_) = 0;
  std::map<uint64_t, std::function<void()>> waits_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace tributary

#endif  // TRIBUTARY_TRAINER_CLIENT_GRAPH_CANCELLABLE_WAITS_H_
