#include "cli/launch/launch_job.h"

#include <string.h>
#include <sys/wait.h>

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "common/process/describe_exit.h"
#include "common/text/terminal_text.h"

namespace tributary {
namespace {

constexpr size_t kLastLines = 5;
constexpr size_t kMaxDetails = 2000;
constexpr absl::Duration kAskPeriod = absl::Seconds(1);
// What an agent may need beyond the grace: for what ignores even SIGKILL, a
// process that waits for a disk.
constexpr absl::Duration kEndMargin = absl::Seconds(3);

// Never 0, whatever an agent says: it is that of a failure.
int CodeOf(int wait_status) {
  if (WIFSIGNALED(wait_status)) return 128 + WTERMSIG(wait_status);
  return std::max(1, WEXITSTATUS(wait_status));
}

}  // namespace

LaunchJob::LaunchJob(const LaunchPlan& plan, std::string workspace,
                     const LaunchLimits& limits, LaunchWorld& world)
    : plan_(plan),
      workspace_(std::move(workspace)),
      limits_(limits),
      world_(world),
      hosts_(plan.hosts.size()) {
  for (size_t i = 0; i < hosts_.size(); ++i) {
    hosts_[i].processes.resize(plan.hosts[i].processes.size());
  }
}

void LaunchJob::Begin(absl::Time now) {
  beat_at_ = now;
  ConnectMore(now);
}

void LaunchJob::ConnectMore(absl::Time now) {
  while (phase_ == Phase::kPreflight && connecting_ < limits_.jobs &&
         next_host_ < hosts_.size()) {
    const size_t i = next_host_++;
    hosts_[i].state = HostState::kConnecting;
    hosts_[i].since = hosts_[i].heard = now;
    ++connecting_;
    world_.Connect(i);
  }
}

void LaunchJob::OnReport(size_t host, const AgentReport& report,
                         absl::Time now) {
  if (hosts_[host].state == HostState::kClosed) return;
  hosts_[host].heard = now;
  switch (report.kind) {
    case AgentReport::Kind::kBeat:
      return;
    case AgentReport::Kind::kHello:
      return OnHello(host, report, now);
    case AgentReport::Kind::kReady:
      return OnReady(host, report, now);
    case AgentReport::Kind::kLine:
    case AgentReport::Kind::kEnded:
      break;
  }
  if (hosts_[host].state != HostState::kReady ||
      report.id >= hosts_[host].processes.size() ||
      !hosts_[host].processes[report.id].running) {
    return OnGarbage(
        host,
        absl::StrCat("a report of process ", report.id, ", which does not run"),
        now);
  }
  if (report.kind == AgentReport::Kind::kLine) return OnLine(host, report);
  OnEnded(host, report, now);
}

void LaunchJob::OnHello(size_t host, const AgentReport& report,
                        absl::Time now) {
  if (hosts_[host].state != HostState::kConnecting) {
    return OnGarbage(host, "a second hello", now);
  }
  if (report.version != AgentVersion()) {
    return Lose(
        host,
        absl::StrCat("has tributary ", TerminalLine(report.version), ", not ",
                     AgentVersion(), " as here; install the same on all hosts"),
        now);
  }
  hosts_[host].state = HostState::kAsked;
  AgentRequest request;
  request.kind = AgentRequest::Kind::kPreflight;
  request.preflight = plan_.hosts[host].preflight;
  request.lost_after = limits_.lost_after;
  request.grace = limits_.grace;
  world_.Send(host, request);
}

void LaunchJob::OnReady(size_t host, const AgentReport& report,
                        absl::Time now) {
  if (hosts_[host].state != HostState::kAsked) {
    return OnGarbage(host, "an answer that was not asked for", now);
  }
  hosts_[host].state = HostState::kReady;
  --connecting_;
  for (const std::string& problem : report.problems) AddProblem(host, problem);
  if (!report.problems.empty()) ++hosts_with_problems_;
  ConnectMore(now);
  EndPreflight(now);
}

void LaunchJob::OnLine(size_t host, const AgentReport& report) {
  std::string text = TerminalLine(report.text);
  world_.Show(host, plan_of(host, report.id), report.is_error, text);
  std::deque<std::string>& last = hosts_[host].processes[report.id].last_lines;
  last.push_back(std::move(text));
  if (last.size() > kLastLines) last.pop_front();
}

void LaunchJob::OnEnded(size_t host, const AgentReport& report,
                        absl::Time now) {
  Process& process = hosts_[host].processes[report.id];
  process.running = false;
  if (phase_ >= Phase::kEndTrainers) return ContinueEnd(now);
  const AgentProcess& plan = plan_of(host, report.id);
  if (plan.stage == kTrainerStage && report.wait_status == 0) {
    if (!AnyRuns(kTrainerStage)) EndTrainers(now);
    return;
  }
  const int code =
      plan.stage == kTrainerStage ? CodeOf(report.wait_status) : kExitServers;
  Fail({code,
        absl::StrCat(plan_.hosts[host].name, ": ", plan.name, " ",
                     DescribeExit(report.wait_status),
                     "\ncommand: ", CommandLineOf(plan)),
        {process.last_lines.begin(), process.last_lines.end()}},
       now);
}

void LaunchJob::OnClosed(size_t host, absl::string_view why, absl::Time now) {
  Lose(host, why, now);
}

void LaunchJob::OnGarbage(size_t host, absl::string_view why, absl::Time now) {
  Lose(
      host,
      absl::StrCat("says what no agent of tributary says: ", TerminalLine(why)),
      now);
}

void LaunchJob::Lose(size_t host, absl::string_view why, absl::Time now) {
  Host& lost = hosts_[host];
  if (lost.state == HostState::kClosed) return;
  const bool was_connecting =
      lost.state == HostState::kConnecting || lost.state == HostState::kAsked;
  lost.state = HostState::kClosed;
  world_.Disconnect(host);
  if (was_connecting && phase_ == Phase::kPreflight) --connecting_;
  if (phase_ >= Phase::kEndTrainers) return ContinueEnd(now);
  if (phase_ == Phase::kPreflight) {
    AddProblem(host, why);
    ++hosts_with_problems_;
    ConnectMore(now);
    return EndPreflight(now);
  }
  Fail({kExitHostLost, absl::StrCat(plan_.hosts[host].name, " ", why), {}},
       now);
}

void LaunchJob::AddProblem(size_t host, absl::string_view why) {
  if (problems_.size() >= kMaxDetails) return;
  problems_.push_back(
      absl::StrCat(plan_.hosts[host].name, ": ", TerminalLine(why)));
}

void LaunchJob::EndPreflight(absl::Time now) {
  if (phase_ != Phase::kPreflight || connecting_ > 0 ||
      next_host_ < hosts_.size()) {
    return;
  }
  if (!problems_.empty()) {
    return Fail({kExitPreflight,
                 absl::StrCat("nothing was started: ", hosts_with_problems_,
                              " of ", hosts_.size(),
                              " hosts have problems, which are named above"),
                 std::move(problems_)},
                now);
  }
  world_.Tell(absl::StrCat(hosts_.size(), " hosts are ready; starts servers"));
  phase_ = Phase::kOwners;
  phase_deadline_ = now + limits_.owners;
  ask_at_ = now;
  Start(kServerStage);
}

void LaunchJob::Start(uint32_t stage) {
  for (size_t host = 0; host < hosts_.size(); ++host) {
    for (uint32_t id = 0; id < hosts_[host].processes.size(); ++id) {
      if (plan_of(host, id).stage != stage) continue;
      AgentRequest request;
      request.kind = AgentRequest::Kind::kStart;
      request.id = id;
      request.workspace = workspace_;
      request.process = plan_of(host, id);
      hosts_[host].processes[id].running = true;
      world_.Send(host, request);
    }
  }
}

void LaunchJob::OnOwners(absl::string_view missing, absl::Time now) {
  asking_ = false;
  if (phase_ != Phase::kOwners) return;
  missing_ = std::string(missing);
  ask_at_ = now + kAskPeriod;
  if (missing_.empty()) StartTrainers(now);
}

void LaunchJob::StartTrainers(absl::Time) {
  world_.Tell("each partition has an owner; starts trainers");
  phase_ = Phase::kTrainers;
  Start(kTrainerStage);
}

void LaunchJob::OnSignal(int signal, absl::Time now) {
  Fail({128 + signal, absl::StrCat("ended by SIG", sigabbrev_np(signal)), {}},
       now);
}

void LaunchJob::Fail(LaunchResult result, absl::Time now) {
  if (phase_ >= Phase::kEndTrainers) return;  // the first failure decides
  result_ = std::move(result);
  EndTrainers(now);
}

bool LaunchJob::AnyRuns(uint32_t stage) const {
  for (size_t host = 0; host < hosts_.size(); ++host) {
    if (!is_open(hosts_[host])) continue;
    for (uint32_t id = 0; id < hosts_[host].processes.size(); ++id) {
      if (hosts_[host].processes[id].running &&
          plan_of(host, id).stage >= stage) {
        return true;
      }
    }
  }
  return false;
}

void LaunchJob::EndTrainers(absl::Time now) {
  phase_ = Phase::kEndTrainers;
  phase_deadline_ = now + limits_.grace + kEndMargin;
  AgentRequest request;
  request.kind = AgentRequest::Kind::kEnd;
  request.grace = limits_.grace;
  request.stage = kTrainerStage;
  for (size_t host = 0; host < hosts_.size(); ++host) {
    if (hosts_[host].state == HostState::kConnecting) {
      hosts_[host].state = HostState::kClosed;
      world_.Disconnect(host);
    } else if (is_open(hosts_[host])) {
      world_.Send(host, request);
    }
  }
  ContinueEnd(now);
}

void LaunchJob::EndServers(absl::Time now) {
  phase_ = Phase::kEndServers;
  phase_deadline_ = now + limits_.grace + kEndMargin;
  AgentRequest request;
  request.kind = AgentRequest::Kind::kEnd;
  request.grace = limits_.grace;
  request.stage = 0;
  for (size_t host = 0; host < hosts_.size(); ++host) {
    if (is_open(hosts_[host])) world_.Send(host, request);
  }
  ContinueEnd(now);
}

void LaunchJob::ContinueEnd(absl::Time now) {
  const bool late = now >= phase_deadline_;
  if (phase_ == Phase::kEndTrainers && (late || !AnyRuns(kTrainerStage))) {
    return EndServers(now);
  }
  if (phase_ != Phase::kEndServers) return;
  bool any = false;
  for (size_t host = 0; host < hosts_.size(); ++host) {
    if (!is_open(hosts_[host])) continue;
    any = true;
    if (!late) continue;
    world_.Tell(absl::StrCat(plan_.hosts[host].name, " did not end in time"));
    hosts_[host].state = HostState::kClosed;
    world_.Disconnect(host);
  }
  if (!any || late) phase_ = Phase::kEnded;
}

void LaunchJob::OnHeld(bool held, absl::Time now) {
  held_ = held;
  for (Host& host : hosts_) host.heard = now;
}

void LaunchJob::OnTime(absl::Time now) {
  if (ended()) return;
  CheckHosts(now);
  if (phase_ == Phase::kOwners && now >= phase_deadline_) {
    return Fail(
        {kExitServers,
         absl::StrCat("the servers are not complete after ",
                      absl::FormatDuration(limits_.owners), ": ",
                      missing_.empty() ? "none has answered" : missing_),
         {}},
        now);
  }
  if (phase_ == Phase::kOwners && !asking_ && now >= ask_at_) {
    asking_ = true;
    world_.AskOwners();
  }
  if (phase_ >= Phase::kEndTrainers) ContinueEnd(now);
  SendBeats(now);
}

void LaunchJob::CheckHosts(absl::Time now) {
  for (size_t i = 0; i < hosts_.size(); ++i) {
    const Host& host = hosts_[i];
    const bool connecting =
        host.state == HostState::kConnecting || host.state == HostState::kAsked;
    if (connecting && now - host.since > limits_.connect) {
      Lose(i,
           absl::StrCat("does not answer within ",
                        absl::FormatDuration(limits_.connect)),
           now);
    } else if (host.state == HostState::kReady && !held_ &&
               now - host.heard > limits_.lost_after) {
      Lose(i,
           absl::StrCat("is lost: nothing was heard from it for ",
                        absl::FormatDuration(limits_.lost_after)),
           now);
    }
  }
}

void LaunchJob::SendBeats(absl::Time now) {
  if (now < beat_at_) return;
  beat_at_ = now + kBeatPeriod;
  for (size_t host = 0; host < hosts_.size(); ++host) {
    if (is_open(hosts_[host])) world_.Send(host, AgentRequest());
  }
}

}  // namespace tributary
