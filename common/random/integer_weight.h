// Weights as draws take them: integers, so that every machine draws the same.
#ifndef TRIBUTARY_COMMON_RANDOM_INTEGER_WEIGHT_H_
#define TRIBUTARY_COMMON_RANDOM_INTEGER_WEIGHT_H_

#include <cstdint>

#include "absl/types/span.h"

namespace tributary {

// No more of them are summed up: sums stay below 2^64.
inline constexpr uint64_t kMaxSummedWeights = uint64_t{1} << 32;

inline constexpr uint64_t kLargestIntegerWeight = (uint64_t{1} << 32) - 1;

// Weights are finite and not negative.
bool IsWeight(double weight);

// A weight w as the integer that it is drawn by: 0 for 0 and -0, else
// max(1, w / max * (2^32 - 1) rounded to nearest even), in float64. `max` is
// the largest of those that are drawn from. Requires IsWeight of both,
// weight <= max.
uint64_t IntegerWeight(double weight, double max);

// sums[i] = the integer weights of weights[0..i]; all 0 where all weights are.
// Requires equal sizes, up to kMaxSummedWeights.
void SumWeights(absl::Span<const double> weights, absl::Span<uint64_t> sums);

}  // namespace tributary

#endif  // TRIBUTARY_COMMON_RANDOM_INTEGER_WEIGHT_H_
