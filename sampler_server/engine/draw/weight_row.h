// Reads the weights of one node's in-edges from their stored prefix sums.
#ifndef TRIBUTARY_SAMPLER_SERVER_ENGINE_DRAW_WEIGHT_ROW_H_
#define TRIBUTARY_SAMPLER_SERVER_ENGINE_DRAW_WEIGHT_ROW_H_

#include <algorithm>
#include <cstdint>
#include <cstring>

#include "absl/types/span.h"
#include "common/random/integer_weight.h"
#include "common/runtime/stop_check.h"

namespace tributary {

// A view of sums[p], the sum of the integer weights of positions 0..p
// (partition/writer/row_order.h). If a damaged file holds other values, results
// are still at most degree(), and Holds() tells a wrong position.
class WeightRow {
 public:
  WeightRow() = default;
  explicit WeightRow(absl::Span<const uint64_t> sums) : sums_(sums) {}

  uint64_t degree() const { return sums_.size(); }
  uint64_t mass() const { return sums_.empty() ? 0 : sums_.back(); }
  const uint64_t* data() const { return sums_.data(); }
  uint64_t before(uint64_t p) const { return p == 0 ? 0 : sums_[p - 1]; }
  uint64_t weight(uint64_t p) const { return sums_[p] - before(p); }

  // Returns whether unit `r` of the mass belongs to position p.
  bool Holds(uint64_t p, uint64_t r) const {
    return p < degree() && before(p) <= r && r < sums_[p];
  }

  // Returns the first position, `from` or later, with a sum above r.
  uint64_t FirstAbove(uint64_t r, uint64_t from) const {
    uint64_t step = 1, end = from;
    while (end < degree() && sums_[end] <= r) {
      from = end + 1;
      end = step < degree() - end ? end + step : degree();
      step *= 2;
    }
    return IndexOf(std::upper_bound(At(from), At(end), r));
  }

  // Returns the position that holds r, searching from `near`: O(log distance),
  // without a branch within the window. Requires near < degree().
  uint64_t FindNear(uint64_t r, uint64_t near) const {
    uint64_t p;
    return FindInWindow(r, near, &p) && Holds(p, r) ? p : Gallop(r, near);
  }

  // Finds the position among the kWindow positions around `near`. Returns false
  // if it is not there; `position` is then the window's end on its side.
  // Requires near < degree().
  bool FindInWindow(uint64_t r, uint64_t near, uint64_t* position) const {
    const uint64_t begin = WindowAround(near);
    const uint64_t size = std::min(kWindow, degree());
    const uint64_t count = size == kWindow ? CountAtMost<kWindow>(begin, r)
                                           : CountAtMost(begin, size, r);
    *position = begin + count;
    return (count > 0 || begin == 0) && count < size;
  }
  static constexpr uint64_t kWindow = 16;
  uint64_t WindowAround(uint64_t near) const {
    const uint64_t begin = near < kWindow / 2 ? 0 : near - kWindow / 2;
    return degree() <= kWindow ? 0 : std::min(begin, degree() - kWindow);
  }

  // Returns the first position of positive weight, p or later.
  uint64_t NextPositive(uint64_t p) const { return FirstAbove(before(p), p); }

  // Returns whether more than `count` positions have positive weight; answers
  // without counting if the mass exceeds what `count` positions can have.
  bool HasMorePositive(uint32_t count) const {
    return mass() > count * kLargestIntegerWeight ||
           CountPositive(uint64_t{count} + 1) > count;
  }

  // Counts the positions of positive weight, up to `most`. When `stop` says so,
  // returns fewer.
  uint64_t CountPositive(uint64_t most, StopCheck* stop = nullptr) const {
    // Most rows have no zeros among their first weights.
    uint64_t count = 0, some = std::min(most, degree());
    InPieces(stop, some, [&](uint64_t from, uint64_t to) {
      for (uint64_t p = from; p < to; ++p) {
        count += sums_[p] > before(p) ? 1 : 0;
      }
    });
    if (count == some) return count;
    count = 0;
    for (uint64_t p = NextPositive(0); p < degree() && count < most;
         p = NextPositive(p + 1)) {
      ++count;
      if (ShouldStop(stop, 1)) break;
    }
    return count;
  }

 private:
  // Compares signed numbers, as SSE4.2 does: sums of fewer than 2^31 weights
  // are below 2^63. For longer rows the result may be wrong; callers check by
  // Holds.
  template <uint64_t kSize>
  uint64_t CountAtMost(uint64_t begin, uint64_t r) const {
    // GCC does not vectorise this loop by itself.
    using Pair [[gnu::vector_size(16)]] = int64_t;
    const auto signed_r = static_cast<int64_t>(r);
    const Pair most = {signed_r, signed_r};
    Pair above = {0, 0};
    for (uint64_t j = 0; j < kSize; j += 2) {
      Pair sums;
      std::memcpy(&sums, sums_.data() + begin + j, sizeof(sums));
      above += sums > most;  // -1 where it is
    }
    return kSize + static_cast<uint64_t>(above[0] + above[1]);
  }
  uint64_t CountAtMost(uint64_t begin, uint64_t size, uint64_t r) const {
    uint64_t count = 0;
    for (uint64_t j = 0; j < size; ++j) count += sums_[begin + j] <= r ? 1 : 0;
    return count;
  }

  uint64_t Gallop(uint64_t r, uint64_t near) const {
    if (before(near) <= r) return FirstAbove(r, near);
    uint64_t step = 1, end = near, begin = near - 1;  // before(0) is 0
    while (begin > 0 && sums_[begin - 1] > r) {
      end = begin;
      begin = step < begin ? begin - step : 0;
      step *= 2;
    }
    return IndexOf(std::upper_bound(At(begin), At(end), r));
  }

  const uint64_t* At(uint64_t p) const { return sums_.data() + p; }
  uint64_t IndexOf(const uint64_t* at) const {
    return static_cast<uint64_t>(at - sums_.data());
  }

  absl::Span<const uint64_t> sums_;
};

}  // namespace tributary

#endif  // TRIBUTARY_SAMPLER_SERVER_ENGINE_DRAW_WEIGHT_ROW_H_
