// `tributary serve`: runs a sampling server.
#ifndef TRIBUTARY_CLI_FLEET_SERVE_COMMAND_H_
#define TRIBUTARY_CLI_FLEET_SERVE_COMMAND_H_

#include <memory>

#include "cli/command/command.h"

namespace tributary {

std::unique_ptr<Command> MakeServeCommand();

}  // namespace tributary

#endif  // TRIBUTARY_CLI_FLEET_SERVE_COMMAND_H_
