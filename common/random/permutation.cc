#include "common/random/permutation.h"

#include <bit>
#include <numeric>
#include <utility>

namespace tributary {

Permutation Permutation::Keyed(uint64_t n, PhiloxKey key) {
  Permutation p(n);
  if (n <= kMaxTable) {
    p.form_ = Form::kTable;
    p.FillTable(key);
    return p;
  }
  p.form_ = Form::kFeistel;
  p.key_ = key;
  p.half_bits_ = (std::bit_width(n - 1) + 1) / 2;
  return p;
}

uint64_t Permutation::operator[](uint64_t i) const {
  switch (form_) {
    case Form::kIdentity:
      return i;
    case Form::kTable:
      return table_[i];
    case Form::kFeistel:
      break;
  }
  do {
    i = FeistelOnce(i);
  } while (i >= n_);
  return i;
}

void Permutation::FillTable(PhiloxKey key) {
  table_.resize(n_);
  std::iota(table_.begin(), table_.end(), 0u);
  PhiloxStream stream(key, /*local_number=*/0);
  const bool wide = n_ > kWideThreshold;
  for (uint64_t i = n_; i-- > 1;) {
    const auto draw = static_cast<uint32_t>(n_ - 1 - i);
    const uint64_t j =
        wide ? stream.BelowWide(draw, i + 1)
             : stream.BelowNarrow(draw, static_cast<uint32_t>(i + 1));
    std::swap(table_[i], table_[j]);
  }
}

uint64_t Permutation::FeistelOnce(uint64_t x) const {
  const auto mask = static_cast<uint32_t>((uint64_t{1} << half_bits_) - 1);
  auto left = static_cast<uint32_t>(x >> half_bits_);
  uint32_t right = static_cast<uint32_t>(x) & mask;
  for (uint32_t round = 0; round < 8; ++round) {
    const uint32_t f = Philox4x32(key_, {{right, round, 0, 0}}).word[0] & mask;
    left = std::exchange(right, left ^ f);
  }
  return uint64_t{left} << half_bits_ | right;
}

}  // namespace tributary
