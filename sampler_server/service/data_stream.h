// Answers the data calls of one trainer: mutable rows, and reads of the graph.
#ifndef TRIBUTARY_SAMPLER_SERVER_SERVICE_DATA_STREAM_H_
#define TRIBUTARY_SAMPLER_SERVER_SERVICE_DATA_STREAM_H_

#include <memory>
#include <string>

#include "channel/transport.h"
#include "sampler_server/service/service_core.h"

namespace tributary {

// Returns the handler of a kData stream (see StreamAcceptor::Accept).
//
// Calls run on the data executor and within budgets of their own, so that
// batches and peers never wait for them: in steps that take turns by caller
// (CallTurns), so that none holds a thread for long. Errors, sent as CallError:
// UNIMPLEMENTED for other kinds of calls, and those of the calls themselves.
std::shared_ptr<StreamHandler> ServeDataCalls(std::shared_ptr<ServiceCore> core,
                                              std::shared_ptr<Stream> stream,
                                              CallerPtr caller);

}  // namespace tributary

#endif  // TRIBUTARY_SAMPLER_SERVER_SERVICE_DATA_STREAM_H_
