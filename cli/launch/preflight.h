// What a host checks of itself before a launch starts anything.
#ifndef TRIBUTARY_CLI_LAUNCH_PREFLIGHT_H_
#define TRIBUTARY_CLI_LAUNCH_PREFLIGHT_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "cli/launch/agent_messages.h"
#include "common/process/memory_limit.h"

namespace tributary {

// Returns what keeps this host from its part, a line each, at most
// kMaxProblems: the workspace, the graph with all files of its partitions, the
// list of servers, files of certificates, ports that are taken, COMMAND's
// program, memory. Reads no array. Blocks for as long as the file system does.
std::vector<std::string> CheckHost(const PreflightQuestion& question,
                                   const absl::StatusOr<MemoryLimit>& memory);

}  // namespace tributary

#endif  // TRIBUTARY_CLI_LAUNCH_PREFLIGHT_H_
