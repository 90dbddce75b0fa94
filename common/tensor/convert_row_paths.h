// Declares the instruction sets that ConvertRowPaths() chooses from.
#ifndef TRIBUTARY_COMMON_TENSOR_CONVERT_ROW_PATHS_H_
#define TRIBUTARY_COMMON_TENSOR_CONVERT_ROW_PATHS_H_

#include <limits>

#include "common/tensor/convert_row.h"

namespace tributary {

// The largest value of an int8 row.
inline constexpr float kInt8Most = 127;
// The scale of a row with a NaN or an infinity, which int8 cannot represent.
inline constexpr float kNoScale = std::numeric_limits<float>::quiet_NaN();

// Requires AVX2 and F16C.
extern const ConvertRowPath kConvertRowAvx2;

}  // namespace tributary

#endif  // TRIBUTARY_COMMON_TENSOR_CONVERT_ROW_PATHS_H_
