// Answers the leaf calls of one peer: SampleHop, Gather, Question.
#ifndef TRIBUTARY_SAMPLER_SERVER_SERVICE_LEAF_STREAM_H_
#define TRIBUTARY_SAMPLER_SERVER_SERVICE_LEAF_STREAM_H_

#include <memory>
#include <string>

#include "channel/transport.h"
#include "sampler_server/service/service_core.h"

namespace tributary {

// Returns the handler of a kLeaf stream (see StreamAcceptor::Accept).
//
// Each call runs on the leaf executor, in turns with those of other peers
// (CallTurns), and within its caller's share of the leaf budget, which nothing
// else uses. It issues no calls and waits for nothing but a disk, where
// features are in files, without holding a thread; so no chain of waits passes
// through a leaf call. A call ends soon after its caller cancels it or its
// timeout passes. Errors, sent as CallError: RESOURCE_EXHAUSTED at once when
// the budget, or the caller's share, is full, DEADLINE_EXCEEDED when a call's
// timeout passes, UNIMPLEMENTED for other kinds of calls, and those of
// leaf/leaf_calls.h.
std::shared_ptr<StreamHandler> ServeLeafCalls(std::shared_ptr<ServiceCore> core,
                                              std::shared_ptr<Stream> stream,
                                              CallerPtr caller);

}  // namespace tributary

#endif  // TRIBUTARY_SAMPLER_SERVER_SERVICE_LEAF_STREAM_H_
