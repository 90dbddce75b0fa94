// `tributary doctor`: checks one server by its own answer.
#ifndef TRIBUTARY_CLI_FLEET_SERVER_CHECK_H_
#define TRIBUTARY_CLI_FLEET_SERVER_CHECK_H_

#include "cli/fleet/check.h"
#include "cli/fleet/fleet_query.h"

namespace tributary {

// Fails if the server gave no answer, with a remedy by the status code; warns
// if its round trip is too long for a fleet on one site.
Check CheckServer(const ServerAnswer& answer);

}  // namespace tributary

#endif  // TRIBUTARY_CLI_FLEET_SERVER_CHECK_H_
