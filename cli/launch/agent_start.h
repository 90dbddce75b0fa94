// How the agent of a host is started.
#ifndef TRIBUTARY_CLI_LAUNCH_AGENT_START_H_
#define TRIBUTARY_CLI_LAUNCH_AGENT_START_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/time/time.h"

namespace tributary {

struct SshOptions {
  uint16_t port = 22;
  std::string user;                  // empty: as ssh's configuration says
  std::vector<std::string> options;  // NAME=VALUE, as of ssh -o
  std::string remote_program = "tributary";
  absl::Duration connect = absl::Seconds(20);  // for the host to answer
  // Whether all agents run on this machine, without ssh.
  bool all_local = false;
};

struct AgentStart {
  std::vector<std::string> argv;
  bool is_local = false;
};

// Returns the command for `host`: this program itself where the host is this
// machine and no user was given, else ssh, which asks no questions and ends
// when the host is silent. The remote shell sees plain words alone. NOT_FOUND
// if this machine has no ssh.
absl::StatusOr<AgentStart> StartOfAgent(const std::string& host,
                                        const SshOptions& options);

// Whether `host` is an address of this machine. Looks up no names but
// "localhost".
bool IsThisMachine(const std::string& host);

}  // namespace tributary

#endif  // TRIBUTARY_CLI_LAUNCH_AGENT_START_H_
