// The status of a fleet as a page.
#ifndef TRIBUTARY_COMMON_STATUS_FLEET_HTML_H_
#define TRIBUTARY_COMMON_STATUS_FLEET_HTML_H_

#include <string>

#include "common/status/fleet_status.h"

namespace tributary {

// Returns an HTML document that is well-formed XML, too. It needs no script and
// nothing else from anywhere, and asks to be loaded again every 5 s. Everything
// that comes from callers or servers is escaped. At most 200 rows of a table.
std::string FleetHtml(const FleetStatus& fleet);

}  // namespace tributary

#endif  // TRIBUTARY_COMMON_STATUS_FLEET_HTML_H_
