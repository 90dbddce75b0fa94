// `tributary verify`: whether a graph folder is whole, and what an input says.
#ifndef TRIBUTARY_CLI_GRAPH_VERIFY_COMMAND_H_
#define TRIBUTARY_CLI_GRAPH_VERIFY_COMMAND_H_

#include <memory>

#include "cli/command/command.h"

namespace tributary {

std::unique_ptr<Command> MakeVerifyCommand();

}  // namespace tributary

#endif  // TRIBUTARY_CLI_GRAPH_VERIFY_COMMAND_H_
