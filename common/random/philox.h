// Philox4x32-10: random words as a pure function of (key, counter), usable on
// host and device.
//
// Salmon et al., "Parallel random numbers: as easy as 1, 2, 3", SC 2011;
// known-answer vectors from Random123 are in philox_test.cc.
#ifndef TRIBUTARY_COMMON_RANDOM_PHILOX_H_
#define TRIBUTARY_COMMON_RANDOM_PHILOX_H_

#include <array>
#include <cstdint>

#ifdef __CUDACC__
#define TRIBUTARY_HOST_DEVICE __host__ __device__
#else
#define TRIBUTARY_HOST_DEVICE
#endif

namespace tributary {

struct PhiloxKey {
  uint32_t k0;
  uint32_t k1;
  friend bool operator==(const PhiloxKey&, const PhiloxKey&) = default;
};

struct PhiloxBlock {
  uint32_t word[4];
};

// Returns the four words of `counter` under `key`, after ten rounds.
TRIBUTARY_HOST_DEVICE inline PhiloxBlock Philox4x32(PhiloxKey key,
                                                    PhiloxBlock counter) {
  constexpr uint64_t kM0 = 0xD2511F53, kM1 = 0xCD9E8D57;
  constexpr uint32_t kW0 = 0x9E3779B9, kW1 = 0xBB67AE85;
  uint32_t c0 = counter.word[0], c1 = counter.word[1];
  uint32_t c2 = counter.word[2], c3 = counter.word[3];
  for (int round = 0; round < 10; ++round) {
    const uint64_t p0 = kM0 * c0, p1 = kM1 * c2;
    c0 = static_cast<uint32_t>(p1 >> 32) ^ c1 ^ key.k0;
    c1 = static_cast<uint32_t>(p1);
    c2 = static_cast<uint32_t>(p0 >> 32) ^ c3 ^ key.k1;
    c3 = static_cast<uint32_t>(p0);
    key.k0 += kW0;
    key.k1 += kW1;
  }
  return {{c0, c1, c2, c3}};
}

// The random words of one node: word j is output j % 4 of counter (j / 4,
// local_number, tree, 0). Keeps the last block, so reading in ascending order
// costs one Philox call per four words. Cheap to construct; not thread-safe.
class PhiloxStream {
 public:
  TRIBUTARY_HOST_DEVICE PhiloxStream(PhiloxKey key, uint32_t local_number,
                                     uint32_t tree = 0)
      : key_(key), local_number_(local_number), tree_(tree) {}

  TRIBUTARY_HOST_DEVICE uint32_t Word(uint32_t j) {
    if (j / 4 != block_index_) {
      block_index_ = j / 4;
      block_ = Philox4x32(key_, {{block_index_, local_number_, tree_, 0}});
    }
    return block_.word[j % 4];
  }

  // Return below(i, n) of docs/sampling.md: a number in [0, n), by
  // multiply-shift. The format uses the narrow form for n <= 2^16 (a larger n
  // only adds bias).
  TRIBUTARY_HOST_DEVICE uint32_t BelowNarrow(uint32_t i, uint32_t n) {
    return static_cast<uint32_t>((uint64_t{Word(i)} * n) >> 32);
  }
  TRIBUTARY_HOST_DEVICE uint64_t BelowWide(uint32_t i, uint64_t n) {
    const uint64_t low = Word(2 * i);
    const uint64_t word = low | uint64_t{Word(2 * i + 1)} << 32;
    return static_cast<uint64_t>((static_cast<unsigned __int128>(word) * n) >>
                                 64);
  }

 private:
  PhiloxKey key_;
  uint32_t local_number_;
  uint32_t tree_;
  uint32_t block_index_ = ~uint32_t{0};
  PhiloxBlock block_{};
};

// Draws from more than this many elements use 64-bit words; part of the format.
inline constexpr uint64_t kWideThreshold = uint64_t{1} << 16;

}  // namespace tributary

#endif  // TRIBUTARY_COMMON_RANDOM_PHILOX_H_
