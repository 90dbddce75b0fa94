// `tributary generate`: writes a synthetic graph as a graph folder.
#ifndef TRIBUTARY_CLI_GRAPH_GENERATE_COMMAND_H_
#define TRIBUTARY_CLI_GRAPH_GENERATE_COMMAND_H_

#include <memory>

#include "cli/command/command.h"

namespace tributary {

std::unique_ptr<Command> MakeGenerateCommand();

}  // namespace tributary

#endif  // TRIBUTARY_CLI_GRAPH_GENERATE_COMMAND_H_
