#include "partition/writer/row_order.h"

#include <algorithm>

namespace tributary {

void OrderByTime(absl::Span<const int64_t> times,
                 std::vector<TimedPosition>& order) {
  order.resize(times.size());
  for (size_t i = 0; i < times.size(); ++i) order[i] = {times[i], i};
  std::sort(order.begin(), order.end());
}

}  // namespace tributary
