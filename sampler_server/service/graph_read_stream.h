// Answers the calls of a data stream that read the stored graph.
#ifndef TRIBUTARY_SAMPLER_SERVER_SERVICE_GRAPH_READ_STREAM_H_
#define TRIBUTARY_SAMPLER_SERVER_SERVICE_GRAPH_READ_STREAM_H_

#include <memory>
#include <string>

#include "channel/call_server.h"
#include "channel/message.h"
#include "common/runtime/work_slice.h"
#include "sampler_server/service/service_core.h"
#include "sampler_server/streams/data_call.h"

namespace tributary {

// Returns whether ServeGraphRead answers requests of this kind.
bool IsGraphRead(MessageKind kind);

// Answers a call: begins in this turn, with what is left of `slice`, and goes
// on in further ones; later if rows are in files. Requires IsGraphRead. `job`
// is that of the stream, empty if none was named.
//
// Errors: see graph_reads.proto; PERMISSION_DENIED for a graph that the job may
// not read; CANCELLED and DEADLINE_EXCEEDED if the caller no longer waits.
void ServeGraphRead(std::shared_ptr<ServiceCore> core, DataCall data,
                    std::string job, CallResponder respond, WorkSlice& slice);

}  // namespace tributary

#endif  // TRIBUTARY_SAMPLER_SERVER_SERVICE_GRAPH_READ_STREAM_H_
