#include "common/random/philox.h"

#include <gtest/gtest.h>

#include <vector>

namespace tributary {
namespace {

std::vector<uint32_t> Words(const PhiloxBlock& block) {
  return {block.word, block.word + 4};
}

// Random123's kat_vectors, philox4x32-10.
TEST(Philox, KnownAnswers) {
  EXPECT_EQ(
      Words(Philox4x32({0, 0}, {{0, 0, 0, 0}})),
      (std::vector<uint32_t>{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}));
  constexpr uint32_t kOnes = 0xffffffff;
  EXPECT_EQ(
      Words(Philox4x32({kOnes, kOnes}, {{kOnes, kOnes, kOnes, kOnes}})),
      (std::vector<uint32_t>{0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}));
  EXPECT_EQ(
      Words(Philox4x32({0xa4093822, 0x299f31d0},
                       {{0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344}})),
      (std::vector<uint32_t>{0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}));
}

TEST(PhiloxStream, WordsAreOutputsOfCountersInTurn) {
  const PhiloxKey key{1, 2};
  PhiloxStream stream(key, /*local_number=*/7, /*tree=*/3);
  for (const uint32_t j : {0u, 1u, 5u, 3u, 400u, 2u}) {
    EXPECT_EQ(stream.Word(j), Philox4x32(key, {{j / 4, 7, 3, 0}}).word[j % 4]);
  }
}

TEST(PhiloxStream, BelowIsMultiplyShift) {
  const PhiloxKey key{1, 2};
  PhiloxStream stream(key, 7);
  const uint64_t w2 = stream.Word(2), w3 = stream.Word(3);
  EXPECT_EQ(stream.BelowNarrow(2, 1000), w2 * 1000 >> 32);
  const unsigned __int128 word = w2 | w3 << 32;
  EXPECT_EQ(stream.BelowWide(1, 100'000'000'000),
            static_cast<uint64_t>(word * 100'000'000'000 >> 64));
  EXPECT_EQ(stream.BelowNarrow(0, 1), 0u);
  EXPECT_LT(stream.BelowWide(0, UINT64_MAX), UINT64_MAX);
}

}  // namespace
}  // namespace tributary
