// What is wrong with a fleet, judged by what its servers say.
#ifndef TRIBUTARY_CLI_FLEET_FLEET_CHECKS_H_
#define TRIBUTARY_CLI_FLEET_FLEET_CHECKS_H_

#include <vector>

#include "cli/fleet/check.h"
#include "cli/fleet/fleet_query.h"

namespace tributary {

// `answers` is what AskServers returned: one of each listed server. Of those
// that answer: one graph and layout, versions that this program speaks, every
// partition owned, some server that takes batches, every server able to reach
// the partitions that it does not own. Fails are what stops or changes batches;
// warnings what slows them or leaves no room for the next failure.
std::vector<Check> CheckFleet(const std::vector<ServerAnswer>& answers);

}  // namespace tributary

#endif  // TRIBUTARY_CLI_FLEET_FLEET_CHECKS_H_
