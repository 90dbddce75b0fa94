// The command `tributary dispatch`.
#ifndef TRIBUTARY_CLI_DISPATCH_DISPATCH_COMMAND_H_
#define TRIBUTARY_CLI_DISPATCH_DISPATCH_COMMAND_H_

#include <memory>

#include "cli/command/command.h"

namespace tributary {

std::unique_ptr<Command> MakeDispatchCommand();

}  // namespace tributary

#endif  // TRIBUTARY_CLI_DISPATCH_DISPATCH_COMMAND_H_
