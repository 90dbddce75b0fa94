// `tributary cache`: makes the cache of hot rows of a graph folder.
#ifndef TRIBUTARY_CLI_HOT_CACHE_COMMAND_H_
#define TRIBUTARY_CLI_HOT_CACHE_COMMAND_H_

#include <memory>

#include "cli/command/command.h"

namespace tributary {

std::unique_ptr<Command> MakeCacheCommand();

}  // namespace tributary

#endif  // TRIBUTARY_CLI_HOT_CACHE_COMMAND_H_
