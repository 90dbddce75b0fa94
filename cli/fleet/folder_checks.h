// `tributary doctor --graph`: checks a graph folder without reading it all.
#ifndef TRIBUTARY_CLI_FLEET_FOLDER_CHECKS_H_
#define TRIBUTARY_CLI_FLEET_FOLDER_CHECKS_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "cli/fleet/check.h"
#include "common/process/memory_limit.h"

namespace tributary {

// Checks graph.json, the length of each file that it lists, whether a server
// can open the folder, and whether the folder fits `memory` beside the memory
// that `serve` reserves for batches. Reads no array; `tributary verify` does.
std::vector<Check> CheckFolder(const std::string& folder,
                               const absl::StatusOr<MemoryLimit>& memory);

}  // namespace tributary

#endif  // TRIBUTARY_CLI_FLEET_FOLDER_CHECKS_H_
