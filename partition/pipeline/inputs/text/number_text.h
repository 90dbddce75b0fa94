// Parses numbers in text files.
#ifndef TRIBUTARY_PARTITION_PIPELINE_INPUTS_TEXT_NUMBER_TEXT_H_
#define TRIBUTARY_PARTITION_PIPELINE_INPUTS_TEXT_NUMBER_TEXT_H_

#include <cstdint>
#include <optional>

#include "absl/strings/string_view.h"

namespace tributary {

// All functions take a whole cell. They accept spaces around the number and a
// leading '+'; they refuse an empty cell and anything after the number.
// "Returns nullopt" means that the text is no such number.

// Returns the text rounded once to the nearest float32, ties to even. Keeps the
// sign of -0, accepts "inf", and returns 0x7fc00000 for any NaN. Returns
// nullopt for a number beyond float32's range too.
std::optional<float> ParseFloat32(absl::string_view text);

// Like ParseFloat32 for float64; NaN is 0x7ff8000000000000.
std::optional<double> ParseFloat64(absl::string_view text);

// Returns the value if it is whole and fits int64: for "7", "7.0" and "70e-1",
// but not for "7.5" and "nan". Exact for any number of digits.
std::optional<int64_t> ParseWholeNumber(absl::string_view text);

// Returns an id, which has decimal digits only.
std::optional<int64_t> ParseId(absl::string_view text);

// The largest number of nodes or edges of a graph in our format.
inline constexpr int64_t kMaxCount = int64_t{1} << 56;
// Returns a whole number of 0 to kMaxCount.
std::optional<int64_t> ParseCount(absl::string_view text);

}  // namespace tributary

#endif  // TRIBUTARY_PARTITION_PIPELINE_INPUTS_TEXT_NUMBER_TEXT_H_
