#include "common/process/signal_watcher.h"

#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <utility>

#include "absl/strings/str_cat.h"
#include "common/io/unfinished_folder.h"

namespace tributary {
namespace {

bool IsIgnored(int signal) {
  struct sigaction action {};
  return sigaction(signal, nullptr, &action) == 0 &&
         action.sa_handler == SIG_IGN;
}

int BlockSignalsAndOpenFd(bool hangup_too, sigset_t* before) {
  sigset_t set;
  sigemptyset(&set);
  // Blocked but not read: writing to a terminal from the background must not
  // stop the process.
  sigaddset(&set, SIGTTOU);
  pthread_sigmask(SIG_BLOCK, &set, before);
  sigemptyset(&set);
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
    // A signal that is ignored would still arrive through the signalfd if
    // blocked.
    const bool wanted = hangup_too || signal != SIGHUP;
    if (wanted && !IsIgnored(signal)) sigaddset(&set, signal);
  }
  pthread_sigmask(SIG_BLOCK, &set, nullptr);
  return signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
}

}  // namespace

SignalWatcher::SignalWatcher(SignalWatcherOptions options)
    : options_(std::move(options)),
      signal_fd_(BlockSignalsAndOpenFd(options_.hangup_too, &mask_before_)),
      end_event_fd_(eventfd(0, EFD_CLOEXEC)) {
  thread_ = std::thread([this] { Watch(); });
}

SignalWatcher::~SignalWatcher() {
  const uint64_t one = 1;
  while (write(end_event_fd_, &one, sizeof(one)) < 0 && errno == EINTR) {
  }
  thread_.join();
  close(end_event_fd_);
  close(signal_fd_);
  pthread_sigmask(SIG_SETMASK, &mask_before_, nullptr);
}

void SignalWatcher::OnStop(absl::AnyInvocable<void(int)> stop) {
  MutexLock lock(mutex_);
  stop_ = std::move(stop);
}

void SignalWatcher::Watch() {
  pollfd waits[] = {{end_event_fd_, POLLIN, 0}, {signal_fd_, POLLIN, 0}};
  while (true) {
    if (poll(waits, 2, -1) < 0) continue;  // EINTR
    if (waits[0].revents != 0) return;
    signalfd_siginfo info;
    while (read(signal_fd_, &info, sizeof(info)) == sizeof(info)) {
      HandleSignal(static_cast<int>(info.ssi_signo));
    }
  }
}

void SignalWatcher::HandleSignal(int signal) {
  MutexLock lock(mutex_);
  if (!stop_ && stopped() && !options_.second_ends) return;
  if (!stop_) ExitBySignal(signal);
  stopped_.store(true, std::memory_order_release);
  std::exchange(stop_, nullptr)(signal);
}

void SignalWatcher::ExitBySignal(int signal) const {
  if (!options_.program.empty()) {
    // Uses write(2), not stdio, whose lock another thread may hold.
    const std::string line = absl::StrCat(options_.program, ": ended by SIG",
                                          sigabbrev_np(signal), "\n");
    if (write(STDERR_FILENO, line.data(), line.size()) < 0) {
      // stderr is closed; there is nobody to tell.
    }
  }
  RemoveUnfinishedFoldersAndExit(options_.exit_code != 0 ? options_.exit_code
                                                         : 128 + signal);
}

}  // namespace tributary
