// The call that brings gradients of a round; see common/proto/tensors.proto.
// For the sources of ServeTensorCall.
#ifndef TRIBUTARY_SAMPLER_SERVER_TENSORS_ROUND_CALLS_H_
#define TRIBUTARY_SAMPLER_SERVER_TENSORS_ROUND_CALLS_H_

#include <memory>

#include "common/proto/tensors.pb.h"
#include "sampler_server/tensors/tensor_call.h"

namespace tributary::tensor_internal {

// Stages a part of the round, and applies the round if it is the last one, in
// steps of that call. A part of a later round waits until its own is open. What
// has begun to be applied is applied to its end.
std::shared_ptr<SteppedCall> PushRound(CallPtr call, AttemptPtr attempt,
                                       v1::PushRoundRequest request);

}  // namespace tributary::tensor_internal

#endif  // TRIBUTARY_SAMPLER_SERVER_TENSORS_ROUND_CALLS_H_
