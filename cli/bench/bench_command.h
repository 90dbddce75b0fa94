// `tributary bench`: measures how fast batches arrive.
#ifndef TRIBUTARY_CLI_BENCH_BENCH_COMMAND_H_
#define TRIBUTARY_CLI_BENCH_BENCH_COMMAND_H_

#include <memory>

#include "cli/command/command.h"

namespace tributary {

std::unique_ptr<Command> MakeBenchCommand();

}  // namespace tributary

#endif  // TRIBUTARY_CLI_BENCH_BENCH_COMMAND_H_
