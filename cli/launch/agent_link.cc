#include "cli/launch/agent_link.h"

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/time/clock.h"
#include "common/process/describe_exit.h"
#include "common/runtime/clock.h"
#include "common/text/status.h"
#include "common/text/terminal_text.h"

namespace tributary {
namespace {

constexpr size_t kMaxUnsent = size_t{8} << 20;
constexpr size_t kReadAtOnce = size_t{64} << 10;
constexpr size_t kLastWords = 3;
constexpr size_t kMaxNoise = 1000;
// How long a child may run on once its output is closed.
constexpr absl::Duration kExitTime = absl::Seconds(2);
constexpr int kNoProgram = 127, kSshFailed = 255;

absl::Time Now() { return SteadyClock().Now(); }

}  // namespace

absl::StatusOr<std::unique_ptr<AgentLink>> AgentLink::Start(
    const std::vector<std::string>& argv) {
  ChildCommand command;
  command.argv = argv;
  command.reads_input = true;
  ASSIGN_OR_RETURN(ChildProcess child, StartChild(command));
  return std::unique_ptr<AgentLink>(new AgentLink(std::move(child)));
}

AgentLink::~AgentLink() { Close(absl::ZeroDuration()); }

void AgentLink::CloseInput() {
  child_.in.Reset();
  child_.out.Reset();
  child_.err.Reset();
}

void AgentLink::Close(absl::Duration patience) {
  CloseInput();
  const absl::Time until = Now() + patience;
  while (!reaped_) {
    int status = 0;
    const bool late = Now() >= until;
    if (late) kill(-child_.pid, SIGKILL);
    reaped_ = waitpid(child_.pid, &status, late ? 0 : WNOHANG) != 0;
    if (!reaped_) absl::SleepFor(absl::Milliseconds(10));
  }
}

void AgentLink::Send(const AgentRequest& request) {
  const std::string line = ToLine(request);
  if (!child_.in.valid()) return;
  overflowed_ = overflowed_ || unsent_.size() + line.size() > kMaxUnsent;
  if (overflowed_) return;  // its silence will be noticed
  unsent_ += line;
  Write();
}

void AgentLink::Write() {
  if (!child_.in.valid() || unsent_.empty()) return;
  const ssize_t n = write(child_.in.get(), unsent_.data(), unsent_.size());
  if (n > 0) unsent_.erase(0, static_cast<size_t>(n));
  if (n >= 0 || errno == EAGAIN || errno == EINTR) return;
  unsent_.clear();
  child_.in.Reset();  // its output tells the rest
}

void AgentLink::Keep(absl::string_view line) {
  last_words_.push_back(TerminalLine(line));
  if (last_words_.size() > kLastWords) last_words_.pop_front();
}

void AgentLink::Read(OnReport on_report, OnGarbage on_garbage) {
  std::string bytes(kReadAtOnce, '\0');
  const ssize_t n = read(child_.out.get(), bytes.data(), bytes.size());
  if (n < 0 && (errno == EAGAIN || errno == EINTR)) return;
  if (n <= 0) {
    child_.out.Reset();
    closed_at_ = Now();
    return;
  }
  bytes.resize(static_cast<size_t>(n));
  reports_.Feed(bytes, [&](absl::string_view line) {
    const auto report = ParseAgentReport(line);
    if (report.ok()) {
      greeted_ = true;
      on_report(*report);
    } else if (greeted_ || ++noise_ > kMaxNoise) {
      on_garbage(report.status().message());
    } else {
      Keep(line);
    }
  });
}

void AgentLink::ReadErrors() {
  std::string bytes(kReadAtOnce, '\0');
  const ssize_t n = read(child_.err.get(), bytes.data(), bytes.size());
  if (n < 0 && (errno == EAGAIN || errno == EINTR)) return;
  const auto keep = [this](absl::string_view line) { Keep(line); };
  if (n > 0) {
    return errors_.Feed({bytes.data(), static_cast<size_t>(n)}, keep);
  }
  errors_.Finish(keep);
  child_.err.Reset();
}

std::optional<std::string> AgentLink::Ending() {
  if (!closed_at_.has_value()) return std::nullopt;
  int status = 0;
  if (Now() - *closed_at_ > kExitTime) kill(-child_.pid, SIGKILL);
  if (waitpid(child_.pid, &status, WNOHANG) != child_.pid) return std::nullopt;
  reaped_ = true;
  if (child_.err.valid()) ReadErrors();
  return Describe(status);
}

std::string AgentLink::Describe(int wait_status) const {
  const int code = WIFEXITED(wait_status) ? WEXITSTATUS(wait_status) : 0;
  const std::string words = absl::StrJoin(last_words_, " | ");
  const std::string tail = words.empty() ? "" : absl::StrCat(": ", words);
  if (!greeted_ && code == kSshFailed) {
    return absl::StrCat("cannot be reached by ssh", tail);
  }
  if (!greeted_ && code == kNoProgram) {
    return absl::StrCat("lacks the program tributary (--remote-program)", tail);
  }
  if (!greeted_) {
    return absl::StrCat("has no tributary that knows host-agent; its program ",
                        DescribeExit(wait_status), tail);
  }
  return absl::StrCat("is lost: its agent, or the ssh to it, ",
                      DescribeExit(wait_status), tail);
}

}  // namespace tributary
