// Plans what `tributary launch` starts on which host.
#ifndef TRIBUTARY_CLI_LAUNCH_LAUNCH_PLAN_H_
#define TRIBUTARY_CLI_LAUNCH_LAUNCH_PLAN_H_

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "cli/launch/agent_messages.h"
#include "cli/launch/trainer_command.h"
#include "common/fleet/address.h"
#include "common/identity/tls_files.h"

namespace tributary {

// What the user says. Paths are as they are at the hosts; relative ones begin
// at the workspace, which is the working directory of all processes.
struct LaunchSettings {
  std::string workspace;    // an absolute path
  std::string graph;        // folder
  std::string ip_config;    // file
  std::string part_config;  // as given, for DGL_CONF_PATH
  TrainerCommand command;
  int num_trainers = 1;        // a host
  int num_servers = 1;         // a host, at following ports
  int num_samplers = 0;        // a trainer; 0: serve's default
  int num_server_threads = 0;  // 0: num_samplers decides
  int num_omp_threads = 0;     // of a trainer; 0: not set
  std::string graph_format;
  std::vector<std::string> extra_envs;  // NAME=VALUE, of trainers
  uint16_t master_port = 29500;
  TlsFiles tls;          // of servers
  TlsFiles trainer_tls;  // of trainers
  bool insecure = false;
  std::vector<std::string> serve_flags;  // further ones of `tributary serve`
  absl::Duration grace = absl::Seconds(10);
  // Variables of the launcher that trainers get, such as PYTHONPATH.
  std::vector<std::string> passed_on;
};

// A host's processes. Their ids are their places in `processes`.
struct HostPlan {
  std::string name;  // for the user: the host, with its port if it is twice
  std::string host;  // for ssh
  PreflightQuestion preflight;
  std::vector<AgentProcess> processes;  // servers, then trainers
};

struct LaunchPlan {
  std::vector<HostPlan> hosts;
  std::string servers;             // of all hosts: HOST:PORT,...
  std::vector<std::string> notes;  // what has no effect, or another one
};

// The order in which processes are ended: the highest first.
inline constexpr uint32_t kServerStage = 0;
inline constexpr uint32_t kTrainerStage = 1;

// Plans for `nodes`, a line of ip_config each. `preflight` has what all hosts
// are asked alike. INVALID_ARGUMENT for a host that is no plain word, for two
// servers at one address, for plain text beyond loopback that was not allowed,
// and for what contradicts COMMAND.
absl::StatusOr<LaunchPlan> PlanLaunch(const LaunchSettings& options,
                                      const std::vector<Address>& nodes,
                                      uint32_t num_partitions,
                                      const PreflightQuestion& preflight);

// Returns each process as a line that a shell takes: "HOST NAME: cd ... &&
// ...".
std::string DescribePlan(const LaunchPlan& plan, const std::string& workspace);

// Returns the process' command line as a shell takes it.
std::string CommandLineOf(const AgentProcess& process);

}  // namespace tributary

#endif  // TRIBUTARY_CLI_LAUNCH_LAUNCH_PLAN_H_
