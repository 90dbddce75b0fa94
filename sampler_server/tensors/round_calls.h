// The call that brings gradients of a round; see common/proto/tensors.proto.
// For the sources of ServeTensorCall.
#ifndef TRIBUTARY_SAMPLER_SERVER_TENSORS_ROUND_CALLS_H_
#define TRIBUTARY_SAMPLER_SERVER_TENSORS_ROUND_CALLS_H_

#include "common/proto/tensors.pb.h"
#include "sampler_server/tensors/tensor_call.h"

namespace tributary::tensor_internal {

// Stages a part of the round, and applies the round if it is the last one. A
// part of a later round waits for its turn. Answers the call.
void StagePart(const CallPtr& call, const AttemptPtr& attempt,
               std::shared_ptr<const v1::PushRoundRequest> request);

}  // namespace tributary::tensor_internal

#endif  // TRIBUTARY_SAMPLER_SERVER_TENSORS_ROUND_CALLS_H_
