#include "cli/launch/host_agent.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "cli/launch/preflight.h"
#include "common/process/memory_limit.h"
#include "common/runtime/clock.h"

namespace tributary {
namespace {

constexpr size_t kMaxUnread = size_t{1} << 20;
constexpr size_t kReadAtOnce = size_t{64} << 10;
constexpr absl::Duration kTick = absl::Milliseconds(100);
// How long after SIGKILL a process may take to go, and the last reports to be
// written.
constexpr absl::Duration kKillMargin = absl::Seconds(3);
constexpr absl::Duration kFlushTime = absl::Seconds(1);

absl::Time Now() { return SteadyClock().Now(); }

// Reads what there is; returns false at the end.
bool ReadAvailable(int fd, std::string& bytes) {
  bytes.resize(kReadAtOnce);
  const ssize_t n = read(fd, bytes.data(), bytes.size());
  const bool open = n > 0 || (n < 0 && (errno == EAGAIN || errno == EINTR));
  bytes.resize(std::max<ssize_t>(n, 0));
  return open;
}

std::string OwnProgram() {
  char path[4096];
  const ssize_t n = readlink("/proc/self/exe", path, sizeof(path));
  return n > 0 ? std::string(path, static_cast<size_t>(n)) : "/proc/self/exe";
}

}  // namespace

struct HostAgent::Child {
  uint32_t stage = 0;
  ChildProcess process;
  LineSplitter out{kMaxLineBytes}, err{kMaxLineBytes};
  bool exited = false;  // its group may live on
  bool reported = false;
  std::optional<absl::Time> kill_at;  // SIGTERM was sent
  bool killed = false;
};

HostAgent::HostAgent(int in, int out, int stop)
    : in_(in), out_(out), stop_(stop), heard_(Now()), said_(Now()) {
  prctl(PR_SET_CHILD_SUBREAPER, 1);
  fcntl(out_, F_SETFL, fcntl(out_, F_GETFL) | O_NONBLOCK);
}

HostAgent::~HostAgent() {
  for (const auto& [id, child] : children_) {
    if (!child->reported) kill(-child->process.pid, SIGKILL);
  }
  KillAdopted();
}

absl::Status HostAgent::Run() {
  AgentReport hello;
  hello.kind = AgentReport::Kind::kHello;
  hello.version = AgentVersion();
  Say(hello);
  while (!done()) {
    Poll();
    Reap();
    const absl::Time now = Now();
    if (now - heard_ > lost_after_) EndFrom(0);
    if (ending_from_.has_value()) ContinueEnd();
    if (now - said_ >= kBeatPeriod && !full()) Say(AgentReport());
  }
  KillAdopted();
  const absl::Time flush_until = Now() + kFlushTime;
  while (!unsent_.empty() && !output_lost_ && Now() < flush_until) {
    pollfd fd{out_, POLLOUT, 0};
    poll(&fd, 1, static_cast<int>(absl::ToInt64Milliseconds(kTick)));
    Flush();
  }
  return status_;
}

bool HostAgent::full() const { return unsent_.size() >= kMaxUnread; }

bool HostAgent::done() const {
  if (ending_from_ != 0u) return false;
  return std::all_of(children_.begin(), children_.end(),
                     [](const auto& one) { return one.second->reported; });
}

void HostAgent::Poll() {
  std::vector<pollfd> fds;
  fds.push_back({input_ended_ ? -1 : in_, POLLIN, 0});
  fds.push_back({unsent_.empty() || output_lost_ ? -1 : out_, POLLOUT, 0});
  fds.push_back({ending_from_ == 0u ? -1 : stop_, POLLIN, 0});
  std::vector<uint32_t> ids;
  const bool reads = !full() || ending_from_.has_value();
  for (const auto& [id, child] : children_) {
    if (child->reported) continue;
    ids.push_back(id);
    const ChildProcess& process = child->process;
    fds.push_back({reads ? process.out.get() : -1, POLLIN, 0});
    fds.push_back({reads ? process.err.get() : -1, POLLIN, 0});
    fds.push_back({child->exited ? -1 : process.exited.get(), POLLIN, 0});
  }
  poll(fds.data(), fds.size(),
       static_cast<int>(absl::ToInt64Milliseconds(kTick)));
  if (fds[1].revents != 0) Flush();
  if (fds[0].revents != 0) Read();
  if (fds[2].revents != 0) EndFrom(0);
  for (size_t i = 0; i < ids.size(); ++i) {
    if ((fds[3 + 3 * i].revents | fds[4 + 3 * i].revents) != 0) {
      ReadOutput(ids[i], *children_[ids[i]]);
    }
  }
}

void HostAgent::Read() {
  std::string bytes;
  if (!ReadAvailable(in_, bytes)) {
    input_ended_ = true;
    return EndFrom(0);
  }
  requests_.Feed(bytes, [this](absl::string_view line) { Handle(line); });
}

void HostAgent::Handle(absl::string_view line) {
  heard_ = Now();
  const auto request = ParseAgentRequest(line);
  if (!request.ok()) {
    status_.Update(request.status());
    return EndFrom(0);
  }
  switch (request->kind) {
    case AgentRequest::Kind::kBeat:
      return;
    case AgentRequest::Kind::kPreflight: {
      lost_after_ = request->lost_after;
      grace_ = request->grace;
      AgentReport report;
      report.kind = AgentReport::Kind::kReady;
      report.problems = CheckHost(request->preflight, ReadMemoryLimit());
      heard_ = Now();  // a slow file system is no silence of the launcher
      return Say(report);
    }
    case AgentRequest::Kind::kStart:
      return Start(*request);
    case AgentRequest::Kind::kEnd:
      grace_ = request->grace;
      return EndFrom(request->stage);
  }
}

void HostAgent::Start(const AgentRequest& request) {
  if (children_.count(request.id) > 0 || ending_from_.has_value()) {
    status_.Update(absl::InvalidArgumentError(absl::StrCat(
        "process ", request.id, " is started twice, or at the end")));
    return EndFrom(0);
  }
  ChildCommand command;
  command.folder = request.workspace;
  command.environment = request.process.environment;
  if (request.process.shell.empty()) {
    command.argv = {OwnProgram()};
    command.argv.insert(command.argv.end(), request.process.arguments.begin(),
                        request.process.arguments.end());
  } else {
    command.argv = {"/bin/sh", "-c", request.process.shell};
  }
  auto& child = children_[request.id];
  child = std::make_unique<Child>();
  child->stage = request.process.stage;
  auto started = StartChild(command);
  if (started.ok()) {
    child->process = *std::move(started);
    return;
  }
  SayLine(request.id, true, started.status().ToString());
  child->reported = true;
  AgentReport report;
  report.kind = AgentReport::Kind::kEnded;
  report.id = request.id;
  report.wait_status = 127 << 8;
  Say(report);
}

void HostAgent::Say(const AgentReport& report) {
  said_ = Now();
  if (!output_lost_) unsent_ += ToLine(report);
  Flush();
}

void HostAgent::SayLine(uint32_t id, bool is_error, absl::string_view text) {
  // While processes end, those that write must not wait for who reads.
  if (full() && ending_from_.has_value()) return;
  AgentReport report;
  report.kind = AgentReport::Kind::kLine;
  report.id = id;
  report.is_error = is_error;
  report.text = std::string(text);
  Say(report);
}

void HostAgent::Flush() {
  if (unsent_.empty() || output_lost_) return;
  const ssize_t n = write(out_, unsent_.data(), unsent_.size());
  if (n > 0) unsent_.erase(0, static_cast<size_t>(n));
  if (n >= 0 || errno == EAGAIN || errno == EINTR) return;
  output_lost_ = true;
  unsent_.clear();
  EndFrom(0);
}

void HostAgent::ReadOutput(uint32_t id, Child& child) {
  std::string bytes;
  if (child.process.out.valid()) {
    const bool open = ReadAvailable(child.process.out.get(), bytes);
    const auto say = [&](absl::string_view line) { SayLine(id, false, line); };
    child.out.Feed(bytes, say);
    if (!open) child.process.out.Reset();
  }
  if (child.process.err.valid()) {
    const bool open = ReadAvailable(child.process.err.get(), bytes);
    const auto say = [&](absl::string_view line) { SayLine(id, true, line); };
    child.err.Feed(bytes, say);
    if (!open) child.process.err.Reset();
  }
}

void HostAgent::Reap() {
  for (const auto& [id, child] : children_) {
    if (child->reported) continue;
    siginfo_t info{};
    // It stays a zombie, whose number no other process gets, for its group.
    if (!child->exited &&
        waitid(P_PID, child->process.pid, &info, WEXITED | WNOHANG | WNOWAIT) ==
            0 &&
        info.si_pid != 0) {
      child->exited = true;
    }
    if (!child->exited) continue;
    const bool being_ended = child->kill_at.has_value() && !child->killed;
    // Asked to end, the rest of its group may take the grace, too.
    if (being_ended && LiveMembersOf(child->process.pid) > 0) continue;
    ReportEnd(id, *child);
  }
}

void HostAgent::ReportEnd(uint32_t id, Child& child) {
  kill(-child.process.pid, SIGKILL);
  AgentReport report;
  report.kind = AgentReport::Kind::kEnded;
  report.id = id;
  waitpid(child.process.pid, &report.wait_status, 0);
  // What its pipes still hold: at most their size, for it has ended.
  constexpr int kPiecesOfAPipe = 16;
  for (int i = 0; i < kPiecesOfAPipe; ++i) ReadOutput(id, child);
  child.out.Finish([&](absl::string_view line) { SayLine(id, false, line); });
  child.err.Finish([&](absl::string_view line) { SayLine(id, true, line); });
  child.process.out.Reset();
  child.process.err.Reset();
  child.reported = true;
  Say(report);
}

void HostAgent::EndFrom(uint32_t stage) {
  ending_from_ = std::min(stage, ending_from_.value_or(stage));
}

void HostAgent::ContinueEnd() {
  uint32_t highest = 0;
  for (const auto& [id, child] : children_) {
    if (!child->reported) highest = std::max(highest, child->stage);
  }
  const absl::Time now = Now();
  for (const auto& [id, child] : children_) {
    if (child->reported || child->stage < std::max(highest, *ending_from_)) {
      continue;
    }
    if (!child->kill_at.has_value()) {
      child->kill_at = now + grace_;
      kill(-child->process.pid, SIGTERM);
    } else if (now >= *child->kill_at && !child->killed) {
      child->killed = true;
      kill(-child->process.pid, SIGKILL);
    } else if (now >= *child->kill_at + kKillMargin) {
      child->reported = true;  // nothing more can be done
      status_.Update(absl::DeadlineExceededError(absl::StrCat(
          "process ", child->process.pid, " does not end on SIGKILL")));
    }
  }
}

void HostAgent::KillAdopted() {
  const absl::Time until = Now() + kKillMargin;
  for (auto pids = OwnChildren(); !pids.empty() && Now() < until;
       pids = OwnChildren()) {
    for (const pid_t pid : pids) kill(pid, SIGKILL);
    int status = 0;
    if (waitpid(-1, &status, WNOHANG) == 0) absl::SleepFor(kTick / 10);
  }
}

}  // namespace tributary
