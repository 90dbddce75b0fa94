#include "trainer_client/torch/ddp/attempt_state.h"

#include <signal.h>
#include <sys/wait.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"

namespace tributary {
namespace {

constexpr EndKind kKinds[] = {EndKind::kFailed, EndKind::kLeft, EndKind::kLost,
                              EndKind::kInterrupted};
constexpr const char* kNames[] = {"failed", "left", "lost", "interrupted"};

// Whether an end of this kind can be replaced by one of a higher priority.
bool IsReplaced(EndKind kind) {
  return kind == EndKind::kFailed || kind == EndKind::kLeft;
}

}  // namespace

std::string AttemptEnd::ToText() const {
  return absl::StrCat(kNames[static_cast<int>(kind)], " ", exit_code, " ", why);
}

int AttemptEnd::priority() const {
  switch (kind) {
    case EndKind::kFailed:
      return exit_code == kPermanentExitCode   ? 3
             : exit_code == kPeersLostExitCode ? 0
                                               : 1;
    case EndKind::kLeft:
      return 2;
    case EndKind::kLost:
      return 4;
    case EndKind::kInterrupted:
      return 5;
  }
  return 0;
}

absl::StatusOr<AttemptEnd> ParseAttemptEnd(const std::string& text) {
  const std::vector<std::string> words =
      absl::StrSplit(text, absl::MaxSplits(' ', 2));
  AttemptEnd end;
  for (size_t i = 0; i < std::size(kNames); ++i) {
    if (words.size() != 3 || words[0] != kNames[i]) continue;
    if (!absl::SimpleAtoi(words[1], &end.exit_code)) break;
    end.kind = kKinds[i];
    end.why = words[2];
    return end;
  }
  return absl::InvalidArgumentError(absl::StrCat(
      "the end of an attempt is \"", text,
      "\"; allowed: failed, left, lost or interrupted, an exit code "
      "and the cause"));
}

void AttemptState::End(AttemptEnd end, absl::Time now) {
  const bool first = !end_.has_value();
  const absl::Duration grace = end.asked() ? graces_.asked : graces_.failed;
  if (first) {
    terminate_ = true;
    kill_at_ = now + grace;
  }
  if (first || (IsReplaced(end_->kind) && end.priority() > end_->priority())) {
    end_ = std::move(end);
  }
}

void AttemptState::Interrupt(absl::Time now) {
  if (++interrupts_ > 1) kill_at_ = std::min(kill_at_, now);
  End({EndKind::kInterrupted, kInterruptedExitCode, "interrupted"}, now);
}

bool AttemptState::HasCaused(int exit_code, absl::Time now) const {
  if (!end_ || terminate_) return false;  // none has got a signal yet
  return exit_code == kInterruptedExitCode ||
         (exit_code == 128 + SIGKILL && MustKill(now));
}

bool AttemptState::TakeTerminate() { return std::exchange(terminate_, false); }

bool StartsAgain(const AttemptEnd& end, int failures, int max_restarts) {
  if (!end.counts()) return max_restarts > 0;
  return end.kind == EndKind::kFailed && end.exit_code != kPermanentExitCode &&
         failures < max_restarts;
}

int ExitCodeOf(int wait_status) {
  return WIFEXITED(wait_status) ? WEXITSTATUS(wait_status)
                                : 128 + WTERMSIG(wait_status);
}

}  // namespace tributary
