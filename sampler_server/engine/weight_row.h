// The weights of one node's in-edges, as their stored sums say.
#ifndef TRIBUTARY_SAMPLER_SERVER_ENGINE_WEIGHT_ROW_H_
#define TRIBUTARY_SAMPLER_SERVER_ENGINE_WEIGHT_ROW_H_

#include <algorithm>
#include <cstdint>

#include "absl/types/span.h"

namespace tributary {

// sums[p]: of the integer weights of positions 0..p (partition/format/
// row_order.h). Whatever a damaged file holds, answers are at most degree(),
// and Holds tells a place that is none.
class WeightRow {
 public:
  WeightRow() = default;
  explicit WeightRow(absl::Span<const uint64_t> sums) : sums_(sums) {}

  uint64_t degree() const { return sums_.size(); }
  uint64_t mass() const { return sums_.empty() ? 0 : sums_.back(); }
  const uint64_t* data() const { return sums_.data(); }
  uint64_t before(uint64_t p) const { return p == 0 ? 0 : sums_[p - 1]; }
  uint64_t weight(uint64_t p) const { return sums_[p] - before(p); }

  // Whether unit `r` of the mass is position p's.
  bool Holds(uint64_t p, uint64_t r) const {
    return p < degree() && before(p) <= r && r < sums_[p];
  }

  // The first position, `from` or later, with a sum above r.
  uint64_t FirstAbove(uint64_t r, uint64_t from) const {
    uint64_t step = 1, end = from;
    while (end < degree() && sums_[end] <= r) {
      from = end + 1;
      end = step < degree() - end ? end + step : degree();
      step *= 2;
    }
    return IndexOf(std::upper_bound(At(from), At(end), r));
  }

  // The position that holds r, found from one nearby: O(log distance).
  uint64_t FindNear(uint64_t r, uint64_t near) const {
    if (near >= degree() || before(near) <= r) return FirstAbove(r, near);
    uint64_t step = 1, end = near, begin = near - 1;  // before(0) is 0
    while (begin > 0 && sums_[begin - 1] > r) {
      end = begin;
      begin = step < begin ? begin - step : 0;
      step *= 2;
    }
    return IndexOf(std::upper_bound(At(begin), At(end), r));
  }

  // The first position of positive weight, p or later.
  uint64_t NextPositive(uint64_t p) const { return FirstAbove(before(p), p); }

  // How many positions have positive weight; no more than `most` are counted.
  uint64_t CountPositive(uint64_t most) const {
    uint64_t count = 0;
    for (uint64_t p = NextPositive(0); p < degree() && count < most;
         p = NextPositive(p + 1)) {
      ++count;
    }
    return count;
  }

 private:
  const uint64_t* At(uint64_t p) const { return sums_.data() + p; }
  uint64_t IndexOf(const uint64_t* at) const {
    return static_cast<uint64_t>(at - sums_.data());
  }

  absl::Span<const uint64_t> sums_;
};

}  // namespace tributary

#endif  // TRIBUTARY_SAMPLER_SERVER_ENGINE_WEIGHT_ROW_H_
