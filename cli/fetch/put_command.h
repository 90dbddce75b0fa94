// tributary-fetch put.
#ifndef TRIBUTARY_CLI_FETCH_PUT_COMMAND_H_
#define TRIBUTARY_CLI_FETCH_PUT_COMMAND_H_

#include <memory>

#include "cli/command/command.h"

namespace tributary {

std::unique_ptr<Command> MakePutCommand();

}  // namespace tributary

#endif  // TRIBUTARY_CLI_FETCH_PUT_COMMAND_H_
