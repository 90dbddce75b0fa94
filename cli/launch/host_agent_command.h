// The command `tributary host-agent`, which `tributary launch` starts on hosts.
#ifndef TRIBUTARY_CLI_LAUNCH_HOST_AGENT_COMMAND_H_
#define TRIBUTARY_CLI_LAUNCH_HOST_AGENT_COMMAND_H_

#include <memory>

#include "cli/command/command.h"

namespace tributary {

std::unique_ptr<Command> MakeHostAgentCommand();

}  // namespace tributary

#endif  // TRIBUTARY_CLI_LAUNCH_HOST_AGENT_COMMAND_H_
