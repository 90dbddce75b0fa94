// `tributary doctor`: checks servers by their own answers, without those of
// others.
#ifndef TRIBUTARY_CLI_FLEET_SERVER_CHECK_H_
#define TRIBUTARY_CLI_FLEET_SERVER_CHECK_H_

#include <vector>

#include "cli/fleet/check.h"
#include "cli/fleet/fleet_query.h"

namespace tributary {

// Fails if the server gave no answer, with a remedy by the status code; warns
// if its round trip is too long for a fleet on one site.
Check CheckServer(const ServerAnswer& answer);

// Warns if streams over TCP do not get through to a server that takes them;
// else says what the servers take.
Check CheckTransport(const std::vector<ServerAnswer>& answers);

}  // namespace tributary

#endif  // TRIBUTARY_CLI_FLEET_SERVER_CHECK_H_
