// `tributary status`: prints the state of each server of a fleet.
#ifndef TRIBUTARY_CLI_STATUS_STATUS_COMMAND_H_
#define TRIBUTARY_CLI_STATUS_STATUS_COMMAND_H_

#include <memory>

#include "cli/command/command.h"

namespace tributary {

std::unique_ptr<Command> MakeStatusCommand();

}  // namespace tributary

#endif  // TRIBUTARY_CLI_STATUS_STATUS_COMMAND_H_
