#include "sampler_server/engine/labor_drawer.h"

#include <algorithm>
#include <cmath>

namespace tributary {
namespace {

constexpr size_t kChunk = 256;  // ids at once
static_assert(kChunk % kDrawLanes == 0);

bool IsSmaller(const SmallVariate& a, const SmallVariate& b) {
  return a.variate != b.variate ? a.variate < b.variate : a.index < b.index;
}

// High words up to this hold the k smallest of `degree` variates, but for one
// row in some hundreds, which is gone through again: three standard deviations
// above what is expected.
uint32_t LikelyLimit(uint64_t degree, uint32_t k) {
  const double wanted = k + 3 * std::sqrt(k) + 4;
  const double limit = wanted / static_cast<double>(degree) * 4294967296.0;
  return limit >= 4294967295.0 ? UINT32_MAX : static_cast<uint32_t>(limit);
}

// Those of them that may be drawn come first; how many they are.
size_t KeepEligible(absl::Span<const uint64_t> eligible, SmallVariate* found,
                    size_t count) {
  size_t kept = 0;
  for (size_t i = 0; i < count; ++i) {
    const uint64_t p = found[i].index;
    found[kept] = found[i];
    kept += eligible[p / 64] >> (p % 64) & 1;
  }
  return kept;
}

}  // namespace

absl::Span<const uint64_t> LaborDrawer::Draw(PhiloxKey key, const IdArray& ids,
                                             uint64_t begin, uint64_t degree,
                                             uint32_t k,
                                             const EligibleOfRow& eligible) {
  const absl::Span<const uint64_t> bits = eligible.bits;
  const uint64_t of = bits.empty() ? degree : eligible.count;
  Collect(key, ids, begin, degree, k, LikelyLimit(of, k), bits);
  if (count_ < k) Collect(key, ids, begin, degree, k, UINT32_MAX, bits);
  KeepSmallest(k);
  positions_.resize(k);
  for (uint32_t i = 0; i < k; ++i) positions_[i] = found_[i].index;
  std::sort(positions_.begin(), positions_.end());
  return positions_;
}

// What may be among the k smallest, in no order; at least k where `limit` lets
// so many pass.
void LaborDrawer::Collect(PhiloxKey key, const IdArray& ids, uint64_t begin,
                          uint64_t degree, uint32_t k, uint32_t limit,
                          absl::Span<const uint64_t> eligible) {
  const size_t most = 2 * size_t{k} + kChunk;
  if (found_.size() < most + kChunk) found_.resize(most + kChunk);
  count_ = 0;
  for (uint64_t from = 0; from < degree; from += kChunk) {
    const auto n =
        static_cast<size_t>(std::min<uint64_t>(kChunk, degree - from));
    SmallVariate* const found = found_.data() + count_;
    size_t more = FindInChunk(key, ids, begin + from, n, limit, found);
    for (size_t i = 0; i < more; ++i) found[i].index += from;
    if (!eligible.empty()) more = KeepEligible(eligible, found, more);
    count_ += more;
    if (count_ <= most) continue;
    KeepSmallest(k);
    limit = static_cast<uint32_t>(found_[k - 1].variate >> 32);
  }
}

// The k smallest first, the last of them at k - 1; the others are dropped.
void LaborDrawer::KeepSmallest(uint32_t k) {
  std::nth_element(found_.begin(), found_.begin() + (k - 1),
                   found_.begin() + static_cast<int64_t>(count_), IsSmaller);
  count_ = k;
}

// A chunk is copied where the kernel cannot read it as it lies.
size_t LaborDrawer::FindInChunk(PhiloxKey key, const IdArray& ids,
                                uint64_t begin, size_t n, uint32_t limit,
                                SmallVariate* found) {
  if (!ids.wide() && n == kChunk) {
    return find_small_(key, ids.narrow_span().data() + begin, nullptr, n, limit,
                       found);
  }
  alignas(64) uint32_t low[kChunk], high[kChunk];
  for (size_t i = 0; i < n; ++i) {
    const uint64_t id = ids[begin + i];
    low[i] = static_cast<uint32_t>(id);
    high[i] = static_cast<uint32_t>(id >> 32);
  }
  const size_t padded = (n + kDrawLanes - 1) / kDrawLanes * kDrawLanes;
  std::fill(low + n, low + padded, 0);
  std::fill(high + n, high + padded, 0);
  return find_small_(key, low, high, n, limit, found);
}

}  // namespace tributary
