// numpy's .npz: tensors by name in one file.
#ifndef TRIBUTARY_COMMON_TENSOR_NPZ_H_
#define TRIBUTARY_COMMON_TENSOR_NPZ_H_

#include <string>

#include "absl/status/status.h"
#include "absl/types/span.h"
#include "common/tensor/tensor_view.h"

namespace tributary {

// Writes `tensors` (names unique) to `path`, which appears whole or not at
// all; an older file of that name is replaced. numpy.load finds each tensor by
// its name, with '/' where the name has one. Stored, not compressed; the same
// tensors give the same bytes. numpy has no bfloat16: its two raw bytes come
// as dtype "V2", for .view("<u2") or ml_dtypes. Errors name the path.
absl::Status WriteNpz(const std::string& path,
                      absl::Span<const TensorView> tensors);

}  // namespace tributary

#endif  // TRIBUTARY_COMMON_TENSOR_NPZ_H_
