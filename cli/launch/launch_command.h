// The command `tributary launch`.
#ifndef TRIBUTARY_CLI_LAUNCH_LAUNCH_COMMAND_H_
#define TRIBUTARY_CLI_LAUNCH_LAUNCH_COMMAND_H_

#include <memory>

#include "cli/command/command.h"

namespace tributary {

std::unique_ptr<Command> MakeLaunchCommand();

}  // namespace tributary

#endif  // TRIBUTARY_CLI_LAUNCH_LAUNCH_COMMAND_H_
