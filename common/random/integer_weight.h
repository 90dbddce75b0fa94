// Integer weights for weighted draws, so that every machine draws the same.
#ifndef TRIBUTARY_COMMON_RANDOM_INTEGER_WEIGHT_H_
#define TRIBUTARY_COMMON_RANDOM_INTEGER_WEIGHT_H_

#include <cstdint>

#include "absl/types/span.h"

namespace tributary {

// The maximum number of weights in one sum, so that sums stay below 2^64.
inline constexpr uint64_t kMaxSummedWeights = uint64_t{1} << 32;

inline constexpr uint64_t kLargestIntegerWeight = (uint64_t{1} << 32) - 1;

// Returns whether `weight` is allowed: finite and not negative.
bool IsWeight(double weight);

// Returns the integer that a weight w is drawn by: 0 for 0 and -0, otherwise
// max(1, w / max * (2^32 - 1) rounded to nearest even), computed in float64.
// `max` is the largest weight of the draw. Requires IsWeight of both and weight
// <= max.
uint64_t IntegerWeight(double weight, double max);

// Sets sums[i] to the sum of the integer weights of weights[0..i]; to 0 if all
// weights are 0. Requires equal sizes, up to kMaxSummedWeights.
void SumWeights(absl::Span<const double> weights, absl::Span<uint64_t> sums);

}  // namespace tributary

#endif  // TRIBUTARY_COMMON_RANDOM_INTEGER_WEIGHT_H_
