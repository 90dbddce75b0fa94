#include "cli/fetch/transfer_progress.h"

#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <utility>

#include "absl/strings/str_format.h"

namespace tributary {

TransferProgress::TransferProgress(std::string program, std::string verb,
                                   uint64_t total)
    : program_(std::move(program)),
      verb_(std::move(verb)),
      total_(total),
      thread_([this] { Run(); }) {}

TransferProgress::~TransferProgress() {
  {
    MutexLock lock(mutex_);
    stop_ = true;
  }
  stop_changed_.NotifyAll();
  thread_.join();
}

void TransferProgress::Run() {
  const bool terminal = isatty(STDERR_FILENO) == 1;
  const auto period = std::chrono::milliseconds(terminal ? 500 : 10000);
  bool shown = false;
  MutexLock lock(mutex_);
  while (!stop_) {
    const auto next = std::chrono::steady_clock::now() + period;
    while (!stop_ && stop_changed_.WaitUntil(mutex_, next)) {
    }
    if (stop_) break;
    shown = true;
    std::fprintf(stderr, terminal ? "\r%s\033[K" : "%s\n", Line().c_str());
    std::fflush(stderr);
  }
  if (terminal && shown) std::fputs("\r\033[K", stderr);
}

std::string TransferProgress::Line() const {
  constexpr double kMega = 1 << 20;
  const double done = static_cast<double>(done_.load());
  const double seconds =
      std::max(0.001, absl::ToDoubleSeconds(absl::Now() - began_));
  const double share =
      total_ == 0 ? 100 : 100 * done / static_cast<double>(total_);
  return absl::StrFormat("%s: %s %.0f of %.0f MiB, %.0f %%, %.1f MiB/s",
                         program_, verb_, done / kMega, total_ / kMega, share,
                         done / kMega / seconds);
}

}  // namespace tributary
