// A stream of control calls: Describe, GetInputIds.
#ifndef TRIBUTARY_SAMPLER_SERVER_SERVICE_CONTROL_STREAM_H_
#define TRIBUTARY_SAMPLER_SERVER_SERVICE_CONTROL_STREAM_H_

#include <memory>
#include <string>

#include "channel/transport.h"
#include "sampler_server/service/service_core.h"

namespace tributary {

// Answered where they arrive, for they only read what is mapped: no queue. Who
// asks and does not read is refused, RESOURCE_EXHAUSTED, when the answers that
// wait, of all streams together, have filled the control budget.
std::shared_ptr<StreamHandler> ServeControlCalls(
    std::shared_ptr<ServiceCore> core, std::shared_ptr<Stream> stream,
    std::string peer);

}  // namespace tributary

#endif  // TRIBUTARY_SAMPLER_SERVER_SERVICE_CONTROL_STREAM_H_
