// Numbers as text files write them.
#ifndef TRIBUTARY_PARTITION_PIPELINE_INPUTS_NUMBER_TEXT_H_
#define TRIBUTARY_PARTITION_PIPELINE_INPUTS_NUMBER_TEXT_H_

#include <cstdint>
#include <optional>

#include "absl/strings/string_view.h"

namespace tributary {

// All take a cell as it is: spaces around it and a leading '+' are let through,
// an empty cell and anything after the number are not.

// Decimal text rounded once to the nearest float32, ties to even; the sign of
// -0 is kept, any NaN becomes 0x7fc00000, "inf" is taken. None when it is no
// number or beyond float32's range.
std::optional<float> ParseFloat32(absl::string_view text);

// The same of float64; NaN is 0x7ff8000000000000.
std::optional<double> ParseFloat64(absl::string_view text);

// The value when it is whole and fits int64: "7", "7.0" and "70e-1" are, "7.5"
// and "nan" are not. Exact, whatever the number of digits.
std::optional<int64_t> ParseWholeNumber(absl::string_view text);

// An id: decimal digits only.
std::optional<int64_t> ParseId(absl::string_view text);

// A number of nodes or edges: no graph of our format has more.
inline constexpr int64_t kMaxCount = int64_t{1} << 56;
std::optional<int64_t> ParseCount(absl::string_view text);

}  // namespace tributary

#endif  // TRIBUTARY_PARTITION_PIPELINE_INPUTS_NUMBER_TEXT_H_
