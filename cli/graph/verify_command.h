// `tributary verify`: checks a graph folder, also against the input that it was
// made from.
#ifndef TRIBUTARY_CLI_GRAPH_VERIFY_COMMAND_H_
#define TRIBUTARY_CLI_GRAPH_VERIFY_COMMAND_H_

#include <memory>

#include "cli/command/command.h"

namespace tributary {

std::unique_ptr<Command> MakeVerifyCommand();

}  // namespace tributary

#endif  // TRIBUTARY_CLI_GRAPH_VERIFY_COMMAND_H_
