// Ctrl-C and SIGTERM as a call on a thread.
#ifndef TRIBUTARY_TRAINER_CLIENT_TORCH_SIGNAL_WATCHER_H_
#define TRIBUTARY_TRAINER_CLIENT_TORCH_SIGNAL_WATCHER_H_

#include <atomic>
#include <thread>

#include "absl/functional/any_invocable.h"
#include "common/mutex.h"

namespace tributary {

// Waits for SIGINT and SIGTERM on a thread of its own, joined by the
// destructor. The first one calls what OnStop set, a second one (or the first
// without it) ends the process with exit code 130. Create it before any other
// thread, so that these inherit the blocked signals.
class SignalWatcher {
 public:
  SignalWatcher();
  ~SignalWatcher();
  SignalWatcher(const SignalWatcher&) = delete;
  SignalWatcher& operator=(const SignalWatcher&) = delete;

  // `stop` runs on the watcher's thread, at most once; none takes it back.
  void OnStop(absl::AnyInvocable<void()> stop);
  bool stopped() const { return stopped_.load(std::memory_order_acquire); }

 private:
  void Watch();
  void HandleSignal();

  const int signals_;  // a signalfd
  const int end_;      // an eventfd: the destructor's
  std::atomic<bool> stopped_{false};
  Mutex mutex_;
  absl::AnyInvocable<void()> stop_ ABSL_GUARDED_BY(mutex_);
  std::thread thread_;
};

}  // namespace tributary

#endif  // TRIBUTARY_TRAINER_CLIENT_TORCH_SIGNAL_WATCHER_H_
