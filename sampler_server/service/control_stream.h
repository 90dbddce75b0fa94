// Serves a stream of control calls: Describe, GetGraphJson, GetInputIds,
// Farewell, BatchTrace, Status.
#ifndef TRIBUTARY_SAMPLER_SERVER_SERVICE_CONTROL_STREAM_H_
#define TRIBUTARY_SAMPLER_SERVER_SERVICE_CONTROL_STREAM_H_

#include <memory>
#include <string>

#include "channel/transport.h"
#include "sampler_server/service/service_core.h"

namespace tributary {

// Returns the handler of a control stream, which answers each call in place,
// without a queue, since calls only read mapped memory. Answers that a client
// has not read count in its share of the control budget, by caller and stream.
// A call that finds it full, or too many answers of its stream unread, is
// refused with RESOURCE_EXHAUSTED; a stream that reads neither is closed (see
// OpenStreams).
std::shared_ptr<StreamHandler> ServeControlCalls(
    std::shared_ptr<ServiceCore> core, std::shared_ptr<Stream> stream,
    CallerPtr caller);

}  // namespace tributary

#endif  // TRIBUTARY_SAMPLER_SERVER_SERVICE_CONTROL_STREAM_H_
