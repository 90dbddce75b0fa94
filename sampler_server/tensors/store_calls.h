// The calls that take time in the store itself: opening an attempt, and listing
// tensors. For the sources of ServeTensorCall.
#ifndef TRIBUTARY_SAMPLER_SERVER_TENSORS_STORE_CALLS_H_
#define TRIBUTARY_SAMPLER_SERVER_TENSORS_STORE_CALLS_H_

#include <memory>
#include <string>

#include "common/proto/tensors.pb.h"
#include "sampler_server/tensors/tensor_call.h"

namespace tributary::tensor_internal {

// Places the rows of the attempt and opens it, once an older one is over.
// `stream` uses it from then on.
std::shared_ptr<SteppedCall> OpenAttempt(CallPtr call,
                                         std::shared_ptr<TensorStream> stream,
                                         v1::OpenAttemptRequest request);
// Lists the tensors of `job`, all for an empty one.
std::shared_ptr<SteppedCall> ListTensors(CallPtr call, std::string job);

}  // namespace tributary::tensor_internal

#endif  // TRIBUTARY_SAMPLER_SERVER_TENSORS_STORE_CALLS_H_
