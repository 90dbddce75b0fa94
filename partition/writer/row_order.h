// What is precomputed for a row of in-edges so that draws need not look at all
// of it: sums of weights (integer_weight.h), and the order of times.
#ifndef TRIBUTARY_PARTITION_WRITER_ROW_ORDER_H_
#define TRIBUTARY_PARTITION_WRITER_ROW_ORDER_H_

#include <compare>
#include <cstdint>
#include <vector>

#include "absl/types/span.h"
#include "common/random/integer_weight.h"

namespace tributary {

// No row of more edges is weighted.
inline constexpr uint64_t kMaxWeightedDegree = kMaxSummedWeights;

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

#endif  // TRIBUTARY_PARTITION_WRITER_ROW_ORDER_H_
