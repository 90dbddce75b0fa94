// The element types of batches and files as LibTorch's, and back.
#ifndef TRIBUTARY_TRAINER_CLIENT_TORCH_BATCH_TENSORS_SCALAR_TYPE_H_
#define TRIBUTARY_TRAINER_CLIENT_TORCH_BATCH_TENSORS_SCALAR_TYPE_H_

#include <c10/core/ScalarType.h>

#include "absl/status/statusor.h"
#include "common/tensor/dtype.h"

namespace tributary {

// INVALID_ARGUMENT for a type that the other side does not have.
absl::StatusOr<at::ScalarType> ScalarTypeOf(DType dtype);
absl::StatusOr<DType> DTypeOf(at::ScalarType type);

}  // namespace tributary

#endif  // TRIBUTARY_TRAINER_CLIENT_TORCH_BATCH_TENSORS_SCALAR_TYPE_H_
