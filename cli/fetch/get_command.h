// tributary-fetch get.
#ifndef TRIBUTARY_CLI_FETCH_GET_COMMAND_H_
#define TRIBUTARY_CLI_FETCH_GET_COMMAND_H_

#include <memory>

#include "cli/command/command.h"

namespace tributary {

std::unique_ptr<Command> MakeGetCommand();

}  // namespace tributary

#endif  // TRIBUTARY_CLI_FETCH_GET_COMMAND_H_
