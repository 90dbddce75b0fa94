// Calls a strand's owner from any thread, for as long as it listens.
#ifndef TRIBUTARY_TRAINER_CLIENT_CORE_STRAND_SIGNAL_H_
#define TRIBUTARY_TRAINER_CLIENT_CORE_STRAND_SIGNAL_H_

#include <functional>
#include <memory>
#include <utility>

#include "common/runtime/executor.h"
#include "common/runtime/mutex.h"

namespace tributary {

// Who signals may live longer than the strand's executor: Mute() cuts them off
// for good. Signals that were not heard yet are one. Thread-safe.
class StrandSignal : public std::enable_shared_from_this<StrandSignal> {
 public:
  // `heard` runs on the strand.
  StrandSignal(std::shared_ptr<Strand> strand, std::function<void()> heard)
      : strand_(std::move(strand)), heard_(std::move(heard)) {}

  void Signal() {
    MutexLock lock(mutex_);
    if (strand_ == nullptr || std::exchange(pending_, true)) return;
    strand_->Post([self = shared_from_this()] { self->Hear(); });
  }
  // When it has returned the strand is not touched again.
  void Mute() {
    std::shared_ptr<Strand> strand;  // let go of without the lock
    MutexLock lock(mutex_);
    strand.swap(strand_);
  }

 private:
  void Hear() {
    {
      MutexLock lock(mutex_);
      pending_ = false;
      if (strand_ == nullptr) return;
    }
    heard_();
  }

  Mutex mutex_;
  std::shared_ptr<Strand> strand_ ABSL_GUARDED_BY(mutex_);
  bool pending_ ABSL_GUARDED_BY(mutex_) = false;
  const std::function<void()> heard_;
};

}  // namespace tributary

#endif  // TRIBUTARY_TRAINER_CLIENT_CORE_STRAND_SIGNAL_H_
