// Ctrl-C and SIGTERM as a call on a thread.
#ifndef TRIBUTARY_COMMON_PROCESS_SIGNAL_WATCHER_H_
#define TRIBUTARY_COMMON_PROCESS_SIGNAL_WATCHER_H_

#include <signal.h>

#include <atomic>
#include <string>
#include <thread>

#include "absl/functional/any_invocable.h"
#include "common/runtime/mutex.h"

namespace tributary {

struct SignalWatcherOptions {
  // What ends the process, as the user knows it; says so on stderr if it has a
  // name.
  std::string program;
  int exit_code = 0;        // of a process that a signal ends; 0: 128 + signal
  bool hangup_too = false;  // SIGHUP
};

// Waits for SIGINT and SIGTERM on a thread of its own, joined by the
// destructor; not for one that is ignored when it is made, as nohup and a
// shell's & do. The first one calls what OnStop set; a second one, or the first
// without it, removes temporary folders and ends the process, whatever its
// other threads do. Also as process 1 of a container, whom unhandled signals do
// not end. Create it before any other thread, so that these inherit the blocked
// signals; destroy it in the same thread, whose signals are then as before.
class SignalWatcher {
 public:
  explicit SignalWatcher(SignalWatcherOptions options = {});
  ~SignalWatcher();
  SignalWatcher(const SignalWatcher&) = delete;
  SignalWatcher& operator=(const SignalWatcher&) = delete;

  // `stop` runs on the watcher's thread with the signal's number, at most once;
  // none takes it back.
  void OnStop(absl::AnyInvocable<void(int)> stop);
  bool stopped() const { return stopped_.load(std::memory_order_acquire); }

 private:
  void Watch();
  void HandleSignal(int signal);
  [[noreturn]] void End(int signal) const;

  const SignalWatcherOptions options_;
  sigset_t mask_before_;  // of the thread that made it
  const int signals_;     // a signalfd
  const int end_;         // an eventfd: the destructor's
  std::atomic<bool> stopped_{false};
  Mutex mutex_;
  absl::AnyInvocable<void(int)> stop_ ABSL_GUARDED_BY(mutex_);
  std::thread thread_;
};

}  // namespace tributary

#endif  // TRIBUTARY_COMMON_PROCESS_SIGNAL_WATCHER_H_
