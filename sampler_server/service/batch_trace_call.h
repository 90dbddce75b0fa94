// The control call that asks where the time of a batch went.
#ifndef TRIBUTARY_SAMPLER_SERVER_SERVICE_BATCH_TRACE_CALL_H_
#define TRIBUTARY_SAMPLER_SERVER_SERVICE_BATCH_TRACE_CALL_H_

#include "absl/status/statusor.h"
#include "channel/call_server.h"
#include "sampler_server/service/service_core.h"

namespace tributary {

// Answers a BatchTraceRequest from the server's recent batches. NOT_FOUND:
// nothing is kept of the batch; PERMISSION_DENIED, counted and logged: a
// trainer asks for another job's.
absl::StatusOr<CallAnswer> ServeBatchTrace(const ServiceCore& core,
                                           const IncomingCall& call);

}  // namespace tributary

#endif  // TRIBUTARY_SAMPLER_SERVER_SERVICE_BATCH_TRACE_CALL_H_
