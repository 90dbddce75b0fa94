// The status of a fleet for a terminal.
#ifndef TRIBUTARY_COMMON_STATUS_FLEET_TEXT_H_
#define TRIBUTARY_COMMON_STATUS_FLEET_TEXT_H_

#include <string>

#include "common/status/fleet_status.h"

namespace tributary {

// Returns lines of at most 80 columns. Everything that comes from callers or
// servers is printable. At most 40 rows of a table.
std::string FleetText(const FleetStatus& fleet);

}  // namespace tributary

#endif  // TRIBUTARY_COMMON_STATUS_FLEET_TEXT_H_
