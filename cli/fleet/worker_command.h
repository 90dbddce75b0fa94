// `tributary worker`: runs a sampling process of a trainer on the same machine.
#ifndef TRIBUTARY_CLI_FLEET_WORKER_COMMAND_H_
#define TRIBUTARY_CLI_FLEET_WORKER_COMMAND_H_

#include <memory>

#include "cli/command/command.h"

namespace tributary {

std::unique_ptr<Command> MakeWorkerCommand();

}  // namespace tributary

#endif  // TRIBUTARY_CLI_FLEET_WORKER_COMMAND_H_
