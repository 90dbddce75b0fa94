// `tributary tensors`: lists and drops the tensors that servers hold.
#ifndef TRIBUTARY_CLI_FLEET_TENSORS_COMMAND_H_
#define TRIBUTARY_CLI_FLEET_TENSORS_COMMAND_H_

#include <memory>

#include "cli/command/command.h"

namespace tributary {

std::unique_ptr<Command> MakeTensorsCommand();

}  // namespace tributary

#endif  // TRIBUTARY_CLI_FLEET_TENSORS_COMMAND_H_
