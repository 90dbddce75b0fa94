// Writes NumPy's .npz: several named tensors in one file.
#ifndef TRIBUTARY_COMMON_TENSOR_NPZ_H_
#define TRIBUTARY_COMMON_TENSOR_NPZ_H_

#include <string>

#include "absl/status/status.h"
#include "absl/types/span.h"
#include "common/tensor/tensor_view.h"

namespace tributary {

// Writes `tensors`, whose names are unique, to `path`. The file appears
// complete or not at all and replaces an existing one. numpy.load finds each
// tensor by its name, which may contain '/'. Not compressed; equal tensors give
// equal bytes. NumPy has no bfloat16: such tensors have dtype "V2", for
// .view("<u2") or ml_dtypes. Errors name the path.
absl::Status WriteNpz(const std::string& path,
                      absl::Span<const TensorView> tensors);

}  // namespace tributary

#endif  // TRIBUTARY_COMMON_TENSOR_NPZ_H_
