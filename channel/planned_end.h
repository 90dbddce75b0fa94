// Tells the end of a stream that a server has planned from one that it died of.
#ifndef TRIBUTARY_CHANNEL_PLANNED_END_H_
#define TRIBUTARY_CHANNEL_PLANNED_END_H_

#include "absl/status/status.h"
#include "absl/strings/string_view.h"

namespace tributary {

// The status with which a healthy server closes a stream: it drains, restarts,
// or ends a connection that has grown old. The client asks elsewhere, or again
// over a new stream, and holds it against nobody: no batch was at fault.
inline absl::Status PlannedEnd(absl::string_view why) {
  return absl::AbortedError(why);
}

// Returns true for the status of a PlannedEnd at the client's OnClosed.
inline bool IsPlannedEnd(const absl::Status& why) {
  return absl::IsAborted(why);
}

}  // namespace tributary

#endif  // TRIBUTARY_CHANNEL_PLANNED_END_H_
