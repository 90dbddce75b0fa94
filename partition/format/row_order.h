// What is precomputed for a row of in-edges so that draws need not look at all
// of it: sums of weights, and the order of times.
#ifndef TRIBUTARY_PARTITION_FORMAT_ROW_ORDER_H_
#define TRIBUTARY_PARTITION_FORMAT_ROW_ORDER_H_

#include <compare>
#include <cstdint>
#include <vector>

#include "absl/types/span.h"

namespace tributary {

// No row of more edges is weighted: sums of integer weights stay below 2^64.
inline constexpr uint64_t kMaxWeightedDegree = uint64_t{1} << 32;

// Weights are finite and not negative.
bool IsWeight(double weight);

// A weight w as the integer that it is drawn by: 0 for 0 and -0, else
// max(1, w / max * (2^32 - 1) rounded to nearest even), in float64. `max` is
// the row's largest weight. Requires IsWeight of both, weight <= max.
uint64_t IntegerWeight(double weight, double max);

// sums[i] = the integer weights of weights[0..i]. All are 0 in a row of zeros,
// whose edges are never drawn. Requires equal sizes, up to kMaxWeightedDegree.
void SumWeights(absl::Span<const double> weights, absl::Span<uint64_t> sums);

// One edge of a row.
struct TimedPosition {
  int64_t time = 0;
  uint64_t position = 0;  // in the row's canonical order
  friend auto operator<=>(const TimedPosition&, const TimedPosition&) = default;
};

// The row's positions, ascending by (time, position). Replaces `order`.
void OrderByTime(absl::Span<const int64_t> times,
                 std::vector<TimedPosition>& order);

}  // namespace tributary

#endif  // TRIBUTARY_PARTITION_FORMAT_ROW_ORDER_H_
