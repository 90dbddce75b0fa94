// `tributary sample`: makes the batches of an epoch and prints a line for each.
#ifndef TRIBUTARY_CLI_SAMPLE_SAMPLE_COMMAND_H_
#define TRIBUTARY_CLI_SAMPLE_SAMPLE_COMMAND_H_

#include <memory>

#include "cli/command/command.h"

namespace tributary {

std::unique_ptr<Command> MakeSampleCommand();

}  // namespace tributary

#endif  // TRIBUTARY_CLI_SAMPLE_SAMPLE_COMMAND_H_
