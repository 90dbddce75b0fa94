// `tributary inspect`: prints statistics of a graph folder.
#ifndef TRIBUTARY_CLI_GRAPH_INSPECT_COMMAND_H_
#define TRIBUTARY_CLI_GRAPH_INSPECT_COMMAND_H_

#include <memory>

#include "cli/command/command.h"

namespace tributary {

std::unique_ptr<Command> MakeInspectCommand();

}  // namespace tributary

#endif  // TRIBUTARY_CLI_GRAPH_INSPECT_COMMAND_H_
