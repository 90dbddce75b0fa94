// A peer's stream of leaf calls.
#ifndef TRIBUTARY_SAMPLER_SERVER_SERVICE_LEAF_STREAM_H_
#define TRIBUTARY_SAMPLER_SERVER_SERVICE_LEAF_STREAM_H_

#include <memory>
#include <string>

#include "channel/transport.h"
#include "sampler_server/service/service_core.h"

namespace tributary {

// Each call runs on the leaf executor and in the leaf budget, which nothing
// else uses; it issues no call and waits for nothing but a disk, where features
// are in files, and holds no thread then: so chains of waits end here. Full:
// RESOURCE_EXHAUSTED at once. Not begun before its timeout: DEADLINE_EXCEEDED.
std::shared_ptr<StreamHandler> ServeLeafCalls(std::shared_ptr<ServiceCore> core,
                                              std::shared_ptr<Stream> stream,
                                              std::string peer);

}  // namespace tributary

#endif  // TRIBUTARY_SAMPLER_SERVER_SERVICE_LEAF_STREAM_H_
