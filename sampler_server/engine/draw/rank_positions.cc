#include "sampler_server/engine/draw/rank_positions.h"

#include <algorithm>
#include <array>
#include <bit>

namespace tributary {
namespace {

constexpr uint64_t kMostSorted = uint64_t{1} << 14;  // with more, bits
constexpr uint64_t kWindow = uint64_t{1} << 23;      // bits at once

}  // namespace

bool RankPositions::Sorted(absl::Span<const uint64_t> ranks,
                           std::vector<uint64_t>& positions) const {
  bool sound = true;
  positions.clear();
  for (uint64_t rank : ranks) {
    const uint64_t p = position_[begin_ + rank];
    sound &= p < degree_;
    positions.push_back(p < degree_ ? p : 0);
  }
  std::sort(positions.begin(), positions.end());
  return sound;
}

bool RankPositions::ForEachOfRange(uint64_t first, uint64_t end, uint64_t skip,
                                   uint64_t take,
                                   std::vector<uint64_t>& scratch, See see,
                                   StopCheck* stop) const {
  if (end - first > kMostSorted) {
    return ForEachByBits(first, end, skip, take, scratch, see, stop);
  }
  bool sound = true;
  scratch.clear();
  for (uint64_t rank = first; rank < end; ++rank) {
    const uint64_t p = position_[begin_ + rank];
    sound &= p < degree_;
    scratch.push_back(p < degree_ ? p : 0);
  }
  std::sort(scratch.begin(), scratch.end());
  see(absl::MakeConstSpan(scratch).subspan(skip, take));
  return sound;
}

// A bit for each position of a window, then of the next.
bool RankPositions::ForEachByBits(uint64_t first, uint64_t end, uint64_t skip,
                                  uint64_t take, std::vector<uint64_t>& bits,
                                  See see, StopCheck* stop) const {
  std::array<uint64_t, 128> some;
  size_t n = 0;
  uint64_t seen = 0;
  for (uint64_t from = 0; from < degree_ && seen < skip + take;
       from += kWindow) {
    const uint64_t size = std::min(kWindow, degree_ - from);
    bits.assign((size + 63) / 64, 0);
    const auto mark = [&](uint64_t rank, uint64_t last) {
      for (; rank < last; ++rank) {
        const uint64_t p =
            position_[begin_ + first + rank] - from;  // or very large
        if (p < size) bits[p / 64] |= uint64_t{1} << (p % 64);
      }
    };
    if (!InPieces(stop, end - first, mark)) return false;
    for (size_t w = 0; w < bits.size(); ++w) {
      if (ShouldStop(stop, 64)) return false;
      for (uint64_t left = bits[w]; left != 0; left &= left - 1) {
        if (seen++ < skip || seen > skip + take) continue;
        some[n++] = from + w * 64 + std::countr_zero(left);
        if (n == some.size()) {
          see(some);
          n = 0;
        }
      }
    }
  }
  see(absl::MakeConstSpan(some).first(n));
  return seen >= skip + take;
}

}  // namespace tributary
