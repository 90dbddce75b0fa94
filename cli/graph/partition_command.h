// `tributary partition`: converts a user's files to a graph folder.
#ifndef TRIBUTARY_CLI_GRAPH_PARTITION_COMMAND_H_
#define TRIBUTARY_CLI_GRAPH_PARTITION_COMMAND_H_

#include <memory>

#include "cli/command/command.h"

namespace tributary {

std::unique_ptr<Command> MakePartitionCommand();

}  // namespace tributary

#endif  // TRIBUTARY_CLI_GRAPH_PARTITION_COMMAND_H_
