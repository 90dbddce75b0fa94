#include "trainer_client/torch/nn/dropout/dropout_mask.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>

namespace tributary {
namespace {

// MT19937 (M. Matsumoto and T. Nishimura, ACM TOMACS 8(1), 1998), a state's
// words at a time: in loops that take vectors, which a generator of single
// words does not allow.
class MersenneBlocks {
 public:
  static constexpr size_t kWords = 624;

  explicit MersenneBlocks(uint32_t seed) {
    state_[0] = seed;
    for (uint32_t j = 1; j < kWords; ++j) {
      state_[j] = 1812433253u * (state_[j - 1] ^ (state_[j - 1] >> 30)) + j;
    }
  }

  const std::array<uint32_t, kWords>& Next() {
    constexpr size_t kShift = 397;
    constexpr size_t kHead = kWords - kShift;
    for (size_t j = 0; j < kHead; ++j) {
      state_[j] = state_[j + kShift] ^ Twist(state_[j], state_[j + 1]);
    }
    for (size_t j = kHead; j < kWords - 1; ++j) {
      state_[j] = state_[j - kHead] ^ Twist(state_[j], state_[j + 1]);
    }
    state_[kWords - 1] =
        state_[kShift - 1] ^ Twist(state_[kWords - 1], state_[0]);
    for (size_t j = 0; j < kWords; ++j) words_[j] = Temper(state_[j]);
    return words_;
  }

 private:
  static uint32_t Twist(uint32_t high, uint32_t low) {
    const uint32_t bits = (high & 0x80000000u) | (low & 0x7fffffffu);
    return (bits >> 1) ^ ((0u - (low & 1u)) & 0x9908b0dfu);
  }
  static uint32_t Temper(uint32_t y) {
    y ^= y >> 11;
    y ^= (y << 7) & 0x9d2c5680u;
    y ^= (y << 15) & 0xefc60000u;
    return y ^ (y >> 18);
  }

  std::array<uint32_t, kWords> state_;
  std::array<uint32_t, kWords> words_;
};

}  // namespace

void FillDropoutMask(uint64_t key, double keep, float value,
                     absl::Span<float> mask) {
  constexpr int kBits = 53;
  constexpr size_t kPlaces = MersenneBlocks::kWords / 2;
  constexpr uint32_t kHighBits = (uint32_t{1} << (kBits - 32)) - 1;
  // u < keep, in whole numbers.
  const auto bound = static_cast<int64_t>(std::ceil(std::ldexp(keep, kBits)));
  MersenneBlocks blocks(static_cast<uint32_t>(key));
  for (size_t begin = 0; begin < mask.size(); begin += kPlaces) {
    const auto& words = blocks.Next();
    const size_t n = std::min(kPlaces, mask.size() - begin);
    float* const to = mask.data() + begin;
    for (size_t i = 0; i < n; ++i) {
      const int64_t high = words[2 * i] & kHighBits;
      const int64_t drawn = high << 32 | words[2 * i + 1];
      to[i] = drawn < bound ? value : 0;
    }
  }
}

}  // namespace tributary
