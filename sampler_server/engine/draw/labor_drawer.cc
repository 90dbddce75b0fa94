#include "sampler_server/engine/draw/labor_drawer.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "absl/numeric/bits.h"
#include "common/io/prefetch.h"

namespace tributary {
namespace {

constexpr size_t kChunk = 256;  // ids at once
constexpr size_t kIdsPerLine = 64 / sizeof(uint32_t);
static_assert(kChunk % kFindAtOnce == 0);

// High words up to this hold the k smallest of `degree` variates, but for one
// row in some hundreds, which is gone through again: three standard deviations
// above what is expected.
uint32_t LikelyLimit(uint64_t degree, uint32_t k) {
  const double wanted = k + 3 * std::sqrt(k) + 4;
  const double limit = wanted / static_cast<double>(degree) * 4294967296.0;
  return limit >= 4294967295.0 ? UINT32_MAX : static_cast<uint32_t>(limit);
}

bool IsEligible(absl::Span<const uint64_t> bits, uint64_t p) {
  return bits.empty() || (bits[p / 64] >> (p % 64) & 1) != 0;
}

}  // namespace

uint64_t LaborDrawer::Row::Variate(uint64_t position) const {
  const uint64_t id = ids[begin + position];
  const PhiloxBlock words = Philox4x32(
      key,
      {{static_cast<uint32_t>(id), static_cast<uint32_t>(id >> 32), 0, 0}});
  return words.word[0] | uint64_t{words.word[1]} << 32;
}

absl::Span<const uint64_t> LaborDrawer::Draw(PhiloxKey key, const IdArray& ids,
                                             uint64_t begin, uint64_t degree,
                                             uint32_t k,
                                             const EligibleOfRow& eligible,
                                             StopCheck* stop) {
  const Row row{key, ids, begin, degree, k, eligible.bits, stop};
  const uint64_t of = eligible.bits.empty() ? degree : eligible.count;
  Collect(row, LikelyLimit(of, k));
  if (count_ < k) Collect(row, UINT32_MAX);
  if (count_ < k) {  // stopped
    positions_.assign(std::max<size_t>(positions_.size(), k), 0);
    return absl::MakeConstSpan(positions_).first(k);
  }
  KeepSmallest(row);
  return absl::MakeConstSpan(positions_).first(k);
}

void LaborDrawer::Reserve(size_t room) {
  if (words_.size() >= room + kMostPicked) return;
  words_.resize(room + kMostPicked);
  positions_.resize(room);
  places_.resize(kChunk);
}

// At least k where `limit` lets so many pass.
void LaborDrawer::Collect(const Row& row, uint32_t limit) {
  const size_t most = 2 * size_t{row.k} + kChunk;
  Reserve(most + kChunk);
  count_ = 0;
  for (uint64_t from = 0; from < row.degree; from += kChunk) {
    if (ShouldStop(row.stop, kChunk)) {
      count_ = 0;
      return;
    }
    const auto n =
        static_cast<size_t>(std::min<uint64_t>(kChunk, row.degree - from));
    const size_t first = count_;
    const size_t more = FindInChunk(row, from, n, limit);
    for (size_t i = 0; i < more; ++i) {
      const uint64_t position = from + places_[i];
      positions_[count_] = position;
      words_[count_] = words_[first + i];
      count_ += IsEligible(row.eligible, position) ? 1 : 0;
    }
    if (count_ <= most) continue;
    KeepSmallest(row);
    limit = *std::max_element(words_.begin(), words_.begin() + row.k);
  }
}

// Places and words; words follow those that there are. A chunk is copied where
// the kernel cannot read it as it lies.
size_t LaborDrawer::FindInChunk(const Row& row, uint64_t from, size_t n,
                                uint32_t limit) {
  const uint64_t first = row.begin + from;
  const size_t padded = (n + kFindAtOnce - 1) / kFindAtOnce * kFindAtOnce;
  uint32_t* const words = words_.data() + count_;
  if (!row.ids.wide() && first + padded <= row.ids.size()) {
    const uint32_t* const next = row.ids.narrow_span().data() + first + n;
    const uint64_t left = std::min<uint64_t>(row.degree - from - n, kChunk);
    for (uint64_t i = 0; i < left; i += kIdsPerLine) Prefetch(next + i);
    return find_small_(row.key, row.ids.narrow_span().data() + first, nullptr,
                       n, limit, places_.data(), words);
  }
  alignas(64) uint32_t low[kChunk] = {}, high[kChunk] = {};
  for (size_t i = 0; i < n; ++i) {
    const uint64_t id = row.ids[first + i];
    low[i] = static_cast<uint32_t>(id);
    high[i] = static_cast<uint32_t>(id >> 32);
  }
  return find_small_(row.key, low, high, n, limit, places_.data(), words);
}

void LaborDrawer::KeepSmallest(const Row& row) {
  if (!KeepPicked(row)) KeepSorted(row);
  count_ = row.k;
}

// False where there are too many of them, or words alone do not tell.
bool LaborDrawer::KeepPicked(const Row& row) {
  if (count_ > kMostPicked) return false;
  uint64_t picked =
      pick_small_(words_.data(), static_cast<uint32_t>(count_), row.k);
  if (absl::popcount(picked) != static_cast<int>(row.k)) return false;
  for (uint32_t i = 0; i < row.k; ++i, picked &= picked - 1) {
    const auto from = static_cast<size_t>(absl::countr_zero(picked));
    words_[i] = words_[from];
    positions_[i] = positions_[from];
  }
  return true;
}

void LaborDrawer::KeepSorted(const Row& row) {
  std::vector<std::pair<uint64_t, uint64_t>> all(count_);
  for (size_t i = 0; i < count_; ++i) {
    all[i] = {row.Variate(positions_[i]), positions_[i]};
  }
  std::nth_element(all.begin(), all.begin() + (row.k - 1), all.end());
  all.resize(row.k);
  std::sort(all.begin(), all.end(),
            [](const auto& a, const auto& b) { return a.second < b.second; });
  for (size_t i = 0; i < all.size(); ++i) {
    words_[i] = static_cast<uint32_t>(all[i].first >> 32);
    positions_[i] = all[i].second;
  }
}

}  // namespace tributary
