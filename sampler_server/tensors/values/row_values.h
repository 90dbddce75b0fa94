// Arithmetic on the values of rows, by dtype.
#ifndef TRIBUTARY_SAMPLER_SERVER_TENSORS_VALUES_ROW_VALUES_H_
#define TRIBUTARY_SAMPLER_SERVER_TENSORS_VALUES_ROW_VALUES_H_

#include <cstddef>
#include <cstdint>

#include "absl/status/status.h"
#include "common/tensor/dtype.h"

namespace tributary {

// Stores `value` as one element of `dtype` at `out`, which need not be aligned.
// Floating dtypes round to nearest, ties to even, float16 and bfloat16 by way
// of float32; integers and bool are for whole numbers in their range.
void StoreNumber(double value, DType dtype, uint8_t* out);

// INVALID_ARGUMENT if values of `dtype` cannot be added: bool.
absl::Status CheckAddable(DType dtype);

// Adds `width` values of `dtype` at `from` to those at `to`. Integers wrap
// around; float16 and bfloat16 are added in float32 and rounded once, to
// nearest, ties to even. Requires a dtype that CheckAddable accepts. Pointers
// need not be aligned.
void AddValues(DType dtype, size_t width, const uint8_t* from, uint8_t* to);

}  // namespace tributary

#endif  // TRIBUTARY_SAMPLER_SERVER_TENSORS_VALUES_ROW_VALUES_H_
