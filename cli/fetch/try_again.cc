#include "cli/fetch/try_again.h"

#include <chrono>

#include "absl/strings/str_cat.h"
#include "common/runtime/clock.h"

namespace tributary {

absl::Status TryAgain::Run(uint64_t seed,
                           absl::FunctionRef<absl::Status()> call) {
  const absl::Time end = SteadyClock().Now() + again_;
  Backoff backoff(backoff_, seed);
  for (;;) {
    absl::Status status = call();
    if (!absl::IsUnavailable(status)) return status;
    const absl::Duration delay = backoff.Next();
    if (SteadyClock().Now() + delay > end) {
      return absl::UnavailableError(absl::StrCat(
          status.message(), "\ntried again for ", absl::FormatDuration(again_),
          "; allowed: a longer --retry-for"));
    }
    if (!Wait(delay)) return status;
  }
}

bool TryAgain::Wait(absl::Duration delay) {
  const auto end =
      std::chrono::steady_clock::now() + absl::ToChronoNanoseconds(delay);
  MutexLock lock(mutex_);
  while (!stop_) {
    if (!stop_changed_.WaitUntil(mutex_, end)) return !stop_;
  }
  return false;
}

void TryAgain::Stop() {
  MutexLock lock(mutex_);
  stop_ = true;
  stop_changed_.NotifyAll();
}

bool TryAgain::stopped() const {
  MutexLock lock(mutex_);
  return stop_;
}

}  // namespace tributary
