// `tributary doctor`: checks what one server of a fleet knows of the others.
#ifndef TRIBUTARY_CLI_FLEET_PEER_CHECKS_H_
#define TRIBUTARY_CLI_FLEET_PEER_CHECKS_H_

#include <string>
#include <vector>

#include "cli/fleet/check.h"
#include "cli/fleet/fleet_query.h"

namespace tributary {

// Checks the peers of server `self`, whose report on a graph is `report`.
// `answers` is what AskServers() returned. Fails if `self` reaches no healthy
// owner of some partition; warns about listed servers that it cannot reach or
// has not been told of.
Check CheckPeers(const std::string& self, const ServerReport& report,
                 const std::vector<ServerAnswer>& answers);

}  // namespace tributary

#endif  // TRIBUTARY_CLI_FLEET_PEER_CHECKS_H_
