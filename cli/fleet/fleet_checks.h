// `tributary doctor --servers`: checks a fleet by the answers of its servers.
#ifndef TRIBUTARY_CLI_FLEET_FLEET_CHECKS_H_
#define TRIBUTARY_CLI_FLEET_FLEET_CHECKS_H_

#include <vector>

#include "cli/fleet/check.h"
#include "cli/fleet/fleet_query.h"

namespace tributary {

// Checks `answers`, the result of AskServers() with one entry per listed
// server. Those that answered must have one graph and layout, versions that
// this program speaks, an owner for every partition, some server that takes
// batches, and every server must reach the partitions that it does not own. A
// failed check means that batches stop or change; a warning, that they are
// slowed, or that the next failure would stop them.
std::vector<Check> CheckFleet(const std::vector<ServerAnswer>& answers);

}  // namespace tributary

#endif  // TRIBUTARY_CLI_FLEET_FLEET_CHECKS_H_
