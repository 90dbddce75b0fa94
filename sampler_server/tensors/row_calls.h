// The calls that read and write rows of a tensor; see
// common/proto/tensors.proto. For the sources of ServeTensorCall.
#ifndef TRIBUTARY_SAMPLER_SERVER_TENSORS_ROW_CALLS_H_
#define TRIBUTARY_SAMPLER_SERVER_TENSORS_ROW_CALLS_H_

#include <cstddef>
#include <cstdint>
#include <memory>

#include "common/proto/tensors.pb.h"
#include "sampler_server/tensors/tensor_call.h"

namespace tributary::tensor_internal {

// Bytes that a call uses for each row beside the payload: its place, and its
// position by lock.
inline constexpr size_t kScratchPerRow = sizeof(uint64_t) + sizeof(uint32_t);

// Returns whose state an export has.
inline OptimizerKind StateOf(const TensorTable& table, bool with_state) {
  return with_state ? table.optimizer() : OptimizerKind::kNone;
}

// All of them work in steps. Reads and copies end at the next step once nobody
// waits for them or the attempt has ended. A write may end like that until its
// first row is changed, and is then done to its end, so that its number says
// whether it was done; others of its rank wait for it.
std::shared_ptr<SteppedCall> ReadRows(CallPtr call, AttemptPtr attempt,
                                      v1::ReadRowsRequest request);
std::shared_ptr<SteppedCall> WriteRows(CallPtr call, AttemptPtr attempt,
                                       v1::WriteRowsRequest request);
std::shared_ptr<SteppedCall> ExportRows(CallPtr call, AttemptPtr attempt,
                                        v1::ExportRowsRequest request);
std::shared_ptr<SteppedCall> ImportRows(CallPtr call, AttemptPtr attempt,
                                        v1::ImportRowsRequest request);
// One that ends early has copied some rows.
std::shared_ptr<SteppedCall> CopyTensor(CallPtr call, AttemptPtr attempt,
                                        v1::CopyTensorRequest request);

}  // namespace tributary::tensor_internal

#endif  // TRIBUTARY_SAMPLER_SERVER_TENSORS_ROW_CALLS_H_
