// Wakes a state machine on its strand from any thread.
#ifndef TRIBUTARY_TRAINER_CLIENT_CORE_STRAND_SIGNAL_H_
#define TRIBUTARY_TRAINER_CLIENT_CORE_STRAND_SIGNAL_H_

#include <functional>
#include <memory>
#include <utility>

#include "common/runtime/executor.h"
#include "common/runtime/mutex.h"

namespace tributary {

// Runs a callback on a strand when signalled. Signals that come before the
// callback has run count as one. Whoever signals may live longer than the
// strand's executor: DetachFromStrand() keeps it from touching the strand.
// Thread-safe; held by shared_ptr.
class StrandSignal : public std::enable_shared_from_this<StrandSignal> {
 public:
  // `on_signal` runs on the strand.
  StrandSignal(std::shared_ptr<Strand> strand, std::function<void()> on_signal)
      : strand_(std::move(strand)), on_signal_(std::move(on_signal)) {}

  void Signal() {
    MutexLock lock(mutex_);
    if (strand_ == nullptr || std::exchange(pending_, true)) return;
    strand_->Post([self = shared_from_this()] { self->Run(); });
  }
  // Once it has returned, the strand is not touched again.
  void DetachFromStrand() {
    std::shared_ptr<Strand> strand;  // released without the lock
    MutexLock lock(mutex_);
    strand.swap(strand_);
  }

 private:
  void Run() {
    {
      MutexLock lock(mutex_);
      pending_ = false;
      if (strand_ == nullptr) return;
    }
    on_signal_();
  }

  Mutex mutex_;
  std::shared_ptr<Strand> strand_ ABSL_GUARDED_BY(mutex_);
  bool pending_ ABSL_GUARDED_BY(mutex_) = false;
  const std::function<void()> on_signal_;
};

}  // namespace tributary

#endif  // TRIBUTARY_TRAINER_CLIENT_CORE_STRAND_SIGNAL_H_
