// What a worker says through its door when it serves, or why it cannot.
#ifndef TRIBUTARY_CHANNEL_SHM_WORKER_REPORT_H_
#define TRIBUTARY_CHANNEL_SHM_WORKER_REPORT_H_

#include <optional>

#include "absl/status/status.h"

namespace tributary {

// At most once, through the worker's end of a WorkerDoor; never waits.
void SendWorkerReport(int door, const absl::Status& status);
// What came through the trainer's end; none yet: nullopt. UNAVAILABLE: the
// worker has closed its end. DATA_LOSS: not a report.
std::optional<absl::Status> ReceiveWorkerReport(int door);

}  // namespace tributary

#endif  // TRIBUTARY_CHANNEL_SHM_WORKER_REPORT_H_
