// Converts rows of features to a lower precision, to the same bytes on every
// instruction set. docs/sampling/tensors.md defines them.
#ifndef TRIBUTARY_COMMON_TENSOR_CONVERT_ROW_H_
#define TRIBUTARY_COMMON_TENSOR_CONVERT_ROW_H_

#include <cstddef>
#include <cstdint>

#include "absl/types/span.h"
#include "common/tensor/dtype.h"

namespace tributary {

// Converts `width` values to another dtype, rounded to the nearest, ties to
// even. Values that are too large become infinite, a NaN becomes 0x7e00
// (float16) or 0x7fc0 (bfloat16). For int8, values are divided by the row's
// largest magnitude / 127, which is written to `scale` as a float32; other
// dtypes ignore `scale`. Pointers need not be aligned. Pure.
using ConvertRow = void (*)(const uint8_t* from, size_t width, uint8_t* to,
                            uint8_t* scale);

// Returns the fastest conversion for this processor; null if rows are copied
// unchanged, since from == to or one of them is no floating type.
ConvertRow ConvertRowOf(DType from, DType to);

// Returns the conversion of a scaled row (scaled_row.h) of `width` values to
// float32, each its value times the scale, to these numbers as float16 or
// bfloat16, or to int8: its values and its scale, unchanged. Null for other
// dtypes.
ConvertRow ConvertScaledRowOf(DType to);

// The conversions of one instruction set, from float32, and to it.
struct ConvertRowPath {
  const char* name;
  ConvertRow to_float16;
  ConvertRow to_bfloat16;
  ConvertRow to_int8;
  ConvertRow scaled_to_float32;  // from a scaled row
};

// Returns the implementations that this processor can run, the fastest last;
// never empty.
absl::Span<const ConvertRowPath> ConvertRowPaths();

}  // namespace tributary

#endif  // TRIBUTARY_COMMON_TENSOR_CONVERT_ROW_H_
