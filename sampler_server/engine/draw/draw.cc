#include "sampler_server/engine/draw/draw.h"

#include <algorithm>
#include <bit>

namespace tributary {

// The node's first `count` words; the blocks do not depend on each other, so
// the processor makes several at once.
void PositionDrawer::FillWords(PhiloxKey key, NodeCounter node,
                               uint32_t count) {
  const uint32_t blocks = (count + 3) / 4;
  if (words_.size() < size_t{blocks} * 4) words_.resize(size_t{blocks} * 4);
  for (uint32_t b = 0; b < blocks; ++b) {
    const PhiloxBlock block =
        Philox4x32(key, {{b, node.local_number, node.tree, 0}});
    std::copy_n(block.word, 4, words_.begin() + size_t{b} * 4);
  }
}

uint64_t PositionDrawer::Wide(uint32_t i, uint64_t n) const {
  const uint64_t word = uint64_t{words_[2 * size_t{i}]} |
                        uint64_t{words_[2 * size_t{i} + 1]} << 32;
  return static_cast<uint64_t>((static_cast<unsigned __int128>(word) * n) >>
                               64);
}

absl::Span<const uint64_t> PositionDrawer::WithoutReplacement(PhiloxKey key,
                                                              NodeCounter node,
                                                              uint64_t degree,
                                                              uint32_t k) {
  const bool wide = degree > kWideThreshold;
  FillWords(key, node, wide ? 2 * k : k);
  if (positions_.size() < k) positions_.resize(k);
  if (degree <= 64) {
    FloydInWord(static_cast<uint32_t>(degree), k);
  } else if (!wide) {
    FloydInBitmap(static_cast<uint32_t>(degree), k);
  } else {
    FloydWide(degree, k);
  }
  return absl::MakeConstSpan(positions_.data(), k);
}

// The set is one register, and reading its bits upwards sorts it.
void PositionDrawer::FloydInWord(uint32_t degree, uint32_t k) {
  uint64_t taken = 0;
  for (uint32_t i = 0; i < k; ++i) {
    const uint32_t t = degree - k + i;
    const uint32_t x = Narrow(i, t + 1);
    taken |= uint64_t{1} << ((taken >> x & 1) != 0 ? t : x);
  }
  for (uint32_t i = 0; i < k; ++i) {
    positions_[i] = static_cast<uint64_t>(std::countr_zero(taken));
    taken &= taken - 1;
  }
}

void PositionDrawer::FloydInBitmap(uint32_t degree, uint32_t k) {
  for (uint32_t i = 0; i < k; ++i) {
    const uint32_t t = degree - k + i;
    const uint32_t x = Narrow(i, t + 1);
    const uint32_t p = (bitmap_[x / 64] >> (x % 64) & 1) != 0 ? t : x;
    bitmap_[p / 64] |= uint64_t{1} << (p % 64);
  }
  uint32_t n = 0;
  for (uint32_t w = 0; w * 64 < degree; ++w) {
    for (uint64_t bits = bitmap_[w]; bits != 0; bits &= bits - 1) {
      positions_[n++] = w * 64 + std::countr_zero(bits);
    }
    bitmap_[w] = 0;
  }
}

void PositionDrawer::FloydWide(uint64_t degree, uint32_t k) {
  hashed_.assign(std::bit_ceil(uint64_t{k} * 2), 0);
  for (uint32_t i = 0; i < k; ++i) {
    const uint64_t t = degree - k + i;
    const uint64_t x = Wide(i, t + 1);
    const bool fresh = InsertHashed(x);
    if (!fresh) InsertHashed(t);
    positions_[i] = fresh ? x : t;
  }
  std::sort(positions_.begin(), positions_.begin() + k);
}

// False when it was there.
bool PositionDrawer::InsertHashed(uint64_t value) {
  const size_t mask = hashed_.size() - 1;
  size_t slot = (value * 0x9E3779B97F4A7C15u >> 32) & mask;
  while (hashed_[slot] != 0) {
    if (hashed_[slot] == value + 1) return false;
    slot = (slot + 1) & mask;
  }
  hashed_[slot] = value + 1;
  return true;
}

absl::Span<const uint64_t> PositionDrawer::WithReplacement(PhiloxKey key,
                                                           NodeCounter node,
                                                           uint64_t degree,
                                                           uint32_t k) {
  const bool wide = degree > kWideThreshold;
  FillWords(key, node, wide ? 2 * k : k);
  if (positions_.size() < k) positions_.resize(k);
  for (uint32_t i = 0; i < k; ++i) {
    positions_[i] =
        wide ? Wide(i, degree) : Narrow(i, static_cast<uint32_t>(degree));
  }
  std::sort(positions_.begin(), positions_.begin() + k);
  return absl::MakeConstSpan(positions_.data(), k);
}

}  // namespace tributary
