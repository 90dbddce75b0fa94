// Runs a LaunchJob over real agents.
#ifndef TRIBUTARY_CLI_LAUNCH_LAUNCHER_H_
#define TRIBUTARY_CLI_LAUNCH_LAUNCHER_H_

#include <memory>
#include <string>
#include <vector>

#include "cli/launch/agent_link.h"
#include "cli/launch/agent_start.h"
#include "cli/launch/launch_job.h"
#include "cli/launch/line_printer.h"
#include "cli/launch/owners_query.h"
#include "cli/query/fleet_access.h"
#include "common/process/signal_watcher.h"

namespace tributary {

// Connects the job with processes, signals and time, on the calling thread.
class Launcher final : public LaunchWorld {
 public:
  // `starts` has one for each host of the plan, which must outlive this.
  Launcher(const LaunchPlan& plan, std::string workspace,
           const LaunchLimits& limits, std::vector<AgentStart> starts,
           FleetAccess fleet);
  ~Launcher() override;

  // Runs to the end; the first signal ends the job.
  LaunchResult Run(SignalWatcher& signals);

  void Connect(size_t host) override;
  void Send(size_t host, const AgentRequest& request) override;
  void Disconnect(size_t host) override;
  void AskOwners() override { owners_.Ask(); }
  void Show(size_t host, const AgentProcess& process, bool is_error,
            absl::string_view text) override;
  void Tell(absl::string_view text) override;

 private:
  void Poll();
  void Serve(size_t host, int input, int output, int errors);

  const LaunchPlan& plan_;
  const LaunchLimits limits_;
  const std::vector<AgentStart> starts_;
  LinePrinter printer_;
  OwnersQuery owners_;
  std::vector<std::unique_ptr<AgentLink>> links_;  // null: none
  // Links that are of no use any more, with whether they are local.
  std::vector<std::pair<std::unique_ptr<AgentLink>, bool>> closed_;
  std::vector<std::pair<size_t, std::string>> not_started_;
  bool held_ = false;
  LaunchJob job_;
};

}  // namespace tributary

#endif  // TRIBUTARY_CLI_LAUNCH_LAUNCHER_H_
