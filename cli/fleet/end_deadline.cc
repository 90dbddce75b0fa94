#include "cli/fleet/end_deadline.h"

#include <chrono>
#include <cstdlib>

#include "absl/strings/str_cat.h"
#include "cli/command/command.h"
#include "common/observe/log.h"

namespace tributary {

EndDeadline::EndDeadline(absl::Duration limit)
    : thread_([this, limit] { Watch(limit); }) {}

EndDeadline::~EndDeadline() {
  {
    MutexLock lock(mutex_);
    ended_ = true;
  }
  ended_changed_.NotifyAll();
  thread_.join();
}

void EndDeadline::Watch(absl::Duration limit) {
  const auto deadline =
      std::chrono::steady_clock::now() + absl::ToChronoNanoseconds(limit);
  MutexLock lock(mutex_);
  while (!ended_) {
    if (ended_changed_.WaitUntil(mutex_, deadline)) continue;
    if (ended_) return;
    LogError(absl::StrCat("the server has not ended within ",
                          absl::FormatDuration(limit),
                          " of the signal; ending it now"));
    std::_Exit(kExitFailure);
  }
}

}  // namespace tributary
