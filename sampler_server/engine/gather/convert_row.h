// Rows of features in a lower precision; the same bytes on every instruction
// set. docs/sampling.md defines them.
#ifndef TRIBUTARY_SAMPLER_SERVER_ENGINE_GATHER_CONVERT_ROW_H_
#define TRIBUTARY_SAMPLER_SERVER_ENGINE_GATHER_CONVERT_ROW_H_

#include <cstddef>
#include <cstdint>

#include "absl/types/span.h"
#include "common/tensor/dtype.h"

namespace tributary {

// `width` values become as many of another dtype: rounded to the nearest, ties
// to even; what is too large becomes infinite, a NaN 0x7e00 (float16) or 0x7fc0
// (bfloat16). Of int8 `scale` gets a float32, the row's largest magnitude /
// 127, by which values are divided; others leave it alone. None need be
// aligned. Pure.
using ConvertRow = void (*)(const uint8_t* from, size_t width, uint8_t* to,
                            uint8_t* scale);

// The best for this processor. Null where rows are copied as they are: from ==
// to, or one of them has no floating numbers.
ConvertRow ConvertRowOf(DType from, DType to);

// One instruction set's, of rows of float32.
struct ConvertRowPath {
  const char* name;
  ConvertRow to_float16;
  ConvertRow to_bfloat16;
  ConvertRow to_int8;
};

// Those that this processor can run, the best one last; never empty.
absl::Span<const ConvertRowPath> ConvertRowPaths();

}  // namespace tributary

#endif  // TRIBUTARY_SAMPLER_SERVER_ENGINE_GATHER_CONVERT_ROW_H_
