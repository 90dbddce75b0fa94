// Answers the calls of a data stream that read the stored graph.
#ifndef TRIBUTARY_SAMPLER_SERVER_SERVICE_READS_GRAPH_READ_STREAM_H_
#define TRIBUTARY_SAMPLER_SERVER_SERVICE_READS_GRAPH_READ_STREAM_H_

#include <memory>

#include "channel/call_server.h"
#include "channel/message.h"
#include "common/runtime/byte_budget.h"
#include "common/runtime/executor.h"
#include "sampler_server/service/service_core.h"

namespace tributary {

// Returns whether ServeGraphRead answers requests of this kind.
bool IsGraphRead(MessageKind kind);

// Answers a call in the calling thread, or later if rows are in files. Requires
// IsGraphRead. `arrived` is by `executor`, on which the call runs; `request` is
// the reservation of the request's bytes, `budget` that of replies.
//
// Errors: see graph_reads.proto; CANCELLED and DEADLINE_EXCEEDED if the caller
// no longer waits.
void ServeGraphRead(std::shared_ptr<ServiceCore> core, Executor* executor,
                    std::shared_ptr<ByteBudget> budget, IncomingCall call,
                    Reservation request, absl::Time arrived,
                    CallResponder respond);

}  // namespace tributary

#endif  // TRIBUTARY_SAMPLER_SERVER_SERVICE_READS_GRAPH_READ_STREAM_H_
