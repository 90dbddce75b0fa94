// Decides what `tributary launch` does next.
#ifndef TRIBUTARY_CLI_LAUNCH_LAUNCH_JOB_H_
#define TRIBUTARY_CLI_LAUNCH_LAUNCH_JOB_H_

#include <cstdint>
#include <deque>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "cli/launch/agent_messages.h"
#include "cli/launch/launch_plan.h"

namespace tributary {

// What a LaunchJob has done to the hosts. The agent of a host is a process that
// is spoken with in messages, over ssh or as a child.
class LaunchWorld {
 public:
  virtual ~LaunchWorld() = default;
  // Starts the host's agent: reports follow, or OnClosed.
  virtual void Connect(size_t host) = 0;
  virtual void Send(size_t host, const AgentRequest& request) = 0;
  // Ends the connection, after which the agent ends all that it started.
  // Neither reports nor OnClosed follow.
  virtual void Disconnect(size_t host) = 0;
  // Asks the servers who owns what; OnOwners follows.
  virtual void AskOwners() = 0;
  // Shows a line of a process, and one of the launcher.
  virtual void Show(size_t host, const AgentProcess& process, bool is_error,
                    absl::string_view text) = 0;
  virtual void Tell(absl::string_view text) = 0;
};

struct LaunchLimits {
  int jobs = 32;  // hosts that are connected to at a time
  absl::Duration connect = absl::Seconds(20);
  // The silence after which a host counts as lost, and the agent, in turn, ends
  // what it has started.
  absl::Duration lost_after = absl::Seconds(10);
  absl::Duration owners = absl::Minutes(5);
  absl::Duration grace = absl::Seconds(10);  // from SIGTERM to SIGKILL
};

// Exit codes that do not come from a trainer.
inline constexpr int kExitHostLost = 68;   // EX_NOHOST
inline constexpr int kExitPreflight = 69;  // EX_UNAVAILABLE
inline constexpr int kExitServers = 70;    // EX_SOFTWARE

struct LaunchResult {
  int exit_code = 0;
  std::string what;  // the first failure; empty if there was none
  // Problems of hosts, or the last lines of the process that failed.
  std::vector<std::string> details;
};

// Runs a plan: asks all hosts whether they can, starts the servers, waits until
// each partition has an owner, starts the trainers, and ends everything once
// all of them are done or something has failed; the first failure is the
// result. Trainers are ended before servers, which they may need for a
// checkpoint.
//
// A state machine without threads, clock or input: each event comes by a call
// that says when it is, and OnTime must be called at least twice a second.
// `plan` and `world` must outlive it.
class LaunchJob {
 public:
  LaunchJob(const LaunchPlan& plan, std::string workspace,
            const LaunchLimits& limits, LaunchWorld& world);

  void Begin(absl::Time now);
  void OnReport(size_t host, const AgentReport& report, absl::Time now);
  // The host's agent, or the way to it, has ended; `why` says so.
  void OnClosed(size_t host, absl::string_view why, absl::Time now);
  // What the host said is no report.
  void OnGarbage(size_t host, absl::string_view why, absl::Time now);
  // `missing` is MissingOwners(): empty once each partition has an owner.
  void OnOwners(absl::string_view missing, absl::Time now);
  void OnSignal(int signal, absl::Time now);
  void OnTime(absl::Time now);
  // Whether reports are left unread because no one reads what they say: then
  // silence is no sign of a lost host.
  void OnHeld(bool held, absl::Time now);

  bool ended() const { return phase_ == Phase::kEnded; }
  const LaunchResult& result() const { return result_; }

 private:
  enum class Phase {
    kPreflight,
    kOwners,  // servers run
    kTrainers,
    kEndTrainers,
    kEndServers,
    kEnded,
  };
  enum class HostState { kWaiting, kConnecting, kAsked, kReady, kClosed };
  struct Process {
    bool running = false;
    std::deque<std::string> last_lines;
  };
  struct Host {
    HostState state = HostState::kWaiting;
    absl::Time since;  // when it was connected to
    absl::Time heard;  // when its agent last said anything
    std::vector<Process> processes;
  };

  bool is_open(const Host& host) const {
    return host.state == HostState::kAsked || host.state == HostState::kReady;
  }
  const AgentProcess& plan_of(size_t host, uint32_t id) const {
    return plan_.hosts[host].processes[id];
  }
  // Whether a process of a stage from this one on runs at a host that is open.
  bool AnyRuns(uint32_t stage) const;

  void ConnectMore(absl::Time now);
  void OnHello(size_t host, const AgentReport& report, absl::Time now);
  void OnReady(size_t host, const AgentReport& report, absl::Time now);
  void OnLine(size_t host, const AgentReport& report);
  void OnEnded(size_t host, const AgentReport& report, absl::Time now);
  // Closes a host that is of no more use, which is a problem of the preflight
  // or the job's failure, unless all is being ended.
  void Lose(size_t host, absl::string_view why, absl::Time now);
  void AddProblem(size_t host, absl::string_view why);
  void EndPreflight(absl::Time now);
  void Start(uint32_t stage);
  void StartTrainers(absl::Time now);
  void Fail(LaunchResult result, absl::Time now);
  void EndTrainers(absl::Time now);
  void EndServers(absl::Time now);
  void ContinueEnd(absl::Time now);
  void CheckHosts(absl::Time now);
  void SendBeats(absl::Time now);

  const LaunchPlan& plan_;
  const std::string workspace_;
  const LaunchLimits limits_;
  LaunchWorld& world_;
  Phase phase_ = Phase::kPreflight;
  LaunchResult result_;
  std::vector<Host> hosts_;
  size_t next_host_ = 0;  // to connect to
  int connecting_ = 0;
  std::vector<std::string> problems_;
  size_t hosts_with_problems_ = 0;
  absl::Time beat_at_, ask_at_, phase_deadline_;
  bool asking_ = false;
  std::string missing_;
  bool held_ = false;
};

}  // namespace tributary

#endif  // TRIBUTARY_CLI_LAUNCH_LAUNCH_JOB_H_
