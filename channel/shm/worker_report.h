// The report that a worker sends through its door: that it serves, or why it
// cannot.
#ifndef TRIBUTARY_CHANNEL_SHM_WORKER_REPORT_H_
#define TRIBUTARY_CHANNEL_SHM_WORKER_REPORT_H_

#include <optional>

#include "absl/status/status.h"

namespace tributary {

// Sends `status` through the worker's end of a WorkerDoor. Call at most once;
// never waits.
void SendWorkerReport(int door, const absl::Status& status);
// Returns the report that arrived at the trainer's end; nullopt if there is
// none yet. Returns UNAVAILABLE if the worker has closed its end, DATA_LOSS if
// the bytes are not a report. Never waits.
std::optional<absl::Status> ReceiveWorkerReport(int door);

}  // namespace tributary

#endif  // TRIBUTARY_CHANNEL_SHM_WORKER_REPORT_H_
