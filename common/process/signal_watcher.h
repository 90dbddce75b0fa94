// Handles SIGINT (Ctrl-C) and SIGTERM as a function call on an ordinary thread.
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
  // The program's name for the message on stderr when a signal ends the
  // process; empty: no message.
  std::string program;
  int exit_code = 0;        // when a signal ends the process; 0: 128 + signal
  bool hangup_too = false;  // also handle SIGHUP
  // Whether a second signal ends the process; else it changes nothing, for a
  // process whose launcher ends it: both may get, and pass on, the same signal.
  bool second_ends = true;
};

// Waits for SIGINT and SIGTERM on its own thread, which the destructor joins.
// Signals that are ignored at construction (by nohup, or a shell's &) stay
// ignored. The first signal calls the function set by OnStop. A second signal,
// or a first one while no function is set, removes all UnfinishedFolders and
// ends the process, whatever its other threads do. This also holds for process
// 1 of a container, which unhandled signals do not end.
//
// Create it before any other thread, so that they inherit the blocked signals.
// Destroy it on the thread that created it; that thread's signal mask is then
// restored.
class SignalWatcher {
 public:
  explicit SignalWatcher(SignalWatcherOptions options = {});
  ~SignalWatcher();
  SignalWatcher(const SignalWatcher&) = delete;
  SignalWatcher& operator=(const SignalWatcher&) = delete;

  // Sets the function for the first signal; it gets the signal's number, runs
  // on the watcher's thread, and runs at most once. A null function removes it.
  // Thread-safe.
  void OnStop(absl::AnyInvocable<void(int)> stop);
  // Whether a signal has called the function. Thread-safe.
  bool stopped() const { return stopped_.load(std::memory_order_acquire); }

 private:
  void Watch();
  void HandleSignal(int signal);
  [[noreturn]] void ExitBySignal(int signal) const;

  const SignalWatcherOptions options_;
  sigset_t mask_before_;    // signal mask of the creating thread
  const int signal_fd_;     // signalfd
  const int end_event_fd_;  // eventfd; written by the destructor
  std::atomic<bool> stopped_{false};
  Mutex mutex_;
  absl::AnyInvocable<void(int)> stop_ ABSL_GUARDED_BY(mutex_);
  std::thread thread_;
};

}  // namespace tributary

#endif  // TRIBUTARY_COMMON_PROCESS_SIGNAL_WATCHER_H_
