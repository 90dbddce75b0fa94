// Prints what was sent to a host.
#ifndef TRIBUTARY_CLI_DISPATCH_DISPATCH_REPORT_H_
#define TRIBUTARY_CLI_DISPATCH_DISPATCH_REPORT_H_

#include "absl/strings/string_view.h"
#include "cli/dispatch/dispatch.h"

namespace tributary {

// Prints a line on stdout for a host that is done, or on stderr, beginning with
// `program`, for one that failed.
void ReportDispatched(absl::string_view program, const Dispatched& done);

}  // namespace tributary

#endif  // TRIBUTARY_CLI_DISPATCH_DISPATCH_REPORT_H_
