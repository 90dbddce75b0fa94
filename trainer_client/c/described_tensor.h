// Tensors as programs in C see them.
#ifndef TRIBUTARY_TRAINER_CLIENT_C_DESCRIBED_TENSOR_H_
#define TRIBUTARY_TRAINER_CLIENT_C_DESCRIBED_TENSOR_H_

#include <cstddef>
#include <string>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/status/statusor.h"
#include "common/tensor/tensor_view.h"
#include "trainer_client/c/tributary.h"

namespace tributary {

// Returns the strides of a row-major tensor, in elements.
Shape StridesOf(const Shape& shape);

// Returns the index of the tensor of this name. NOT_FOUND lists the names;
// `whose` says what has them: "batch 3".
absl::StatusOr<size_t> FindTensor(const std::vector<TensorView>& tensors,
                                  const char* name,
                                  absl::FunctionRef<std::string()> whose);

// Returns the tensor, whose parts point into `view` and `strides`.
tributary_tensor DescribeTensor(const TensorView& view, const Shape& strides);

}  // namespace tributary

#endif  // TRIBUTARY_TRAINER_CLIENT_C_DESCRIBED_TENSOR_H_
