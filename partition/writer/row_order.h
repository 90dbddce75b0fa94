// The order of a row of in-edges by time, precomputed so that draws need not
// look at all of the row; and the limit on weighted rows (sums:
// integer_weight.h).
#ifndef TRIBUTARY_PARTITION_WRITER_ROW_ORDER_H_
#define TRIBUTARY_PARTITION_WRITER_ROW_ORDER_H_

#include <compare>
#include <cstdint>
#include <vector>

#include "absl/types/span.h"
#include "common/random/integer_weight.h"

namespace tributary {

// The maximum number of edges in a weighted row.
inline constexpr uint64_t kMaxWeightedDegree = kMaxSummedWeights;

// The time and position of one edge of a row.
struct TimedPosition {
  int64_t time = 0;
  uint64_t position = 0;  // in the row's canonical order
  friend auto operator<=>(const TimedPosition&, const TimedPosition&) = default;
};

// Replaces `order` by the row's positions, ascending by (time, position).
void OrderByTime(absl::Span<const int64_t> times,
                 std::vector<TimedPosition>& order);

}  // namespace tributary

#endif  // TRIBUTARY_PARTITION_WRITER_ROW_ORDER_H_
