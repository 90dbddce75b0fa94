#include "trainer_client/torch/signal_watcher.h"

#include <poll.h>
#include <signal.h>
#include <sys/eventfd.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include <cstdint>
#include <cstdlib>
#include <utility>

#include "trainer_client/torch/rank_launcher.h"

namespace tributary {
namespace {

int BlockAndOpen() {
  sigset_t set;
  sigemptyset(&set);
  // Blocked only: writing to a terminal from the background must not stop us.
  sigaddset(&set, SIGTTOU);
  pthread_sigmask(SIG_BLOCK, &set, nullptr);
  sigemptyset(&set);
  sigaddset(&set, SIGINT);
  sigaddset(&set, SIGTERM);
  pthread_sigmask(SIG_BLOCK, &set, nullptr);
  return signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
}

}  // namespace

SignalWatcher::SignalWatcher()
    : signals_(BlockAndOpen()), end_(eventfd(0, EFD_CLOEXEC)) {
  thread_ = std::thread([this] { Watch(); });
}

SignalWatcher::~SignalWatcher() {
  const uint64_t one = 1;
  while (write(end_, &one, sizeof(one)) < 0 && errno == EINTR) {
  }
  thread_.join();
  close(end_);
  close(signals_);
}

void SignalWatcher::OnStop(absl::AnyInvocable<void()> stop) {
  MutexLock lock(mutex_);
  stop_ = std::move(stop);
}

void SignalWatcher::Watch() {
  pollfd waits[] = {{end_, POLLIN, 0}, {signals_, POLLIN, 0}};
  while (true) {
    if (poll(waits, 2, -1) < 0) continue;  // EINTR
    if (waits[0].revents != 0) return;
    signalfd_siginfo info;
    while (read(signals_, &info, sizeof(info)) == sizeof(info)) HandleSignal();
  }
}

void SignalWatcher::HandleSignal() {
  MutexLock lock(mutex_);
  if (!stop_) std::_Exit(kInterruptedExitCode);
  stopped_.store(true, std::memory_order_release);
  std::exchange(stop_, nullptr)();
}

}  // namespace tributary
