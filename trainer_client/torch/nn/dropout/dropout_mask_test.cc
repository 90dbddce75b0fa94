#include "trainer_client/torch/nn/dropout/dropout_mask.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <vector>

namespace tributary {
namespace {

std::vector<float> Mask(uint64_t key, double keep, size_t size) {
  std::vector<float> mask(size, -1);
  FillDropoutMask(key, keep, 2.5, absl::MakeSpan(mask));
  return mask;
}

// The first words of MT19937 with seed 5489 are 3499211612, 581869302,
// 3890346734, 3586334585, 545404204, 4161255391. The low 21 bits of words 0, 2
// and 4 are 1162076, 129774 and 144684, so the places draw 0.55412, 0.06188 and
// 0.06899 (these numbers over 2^21, and a little).
TEST(DropoutMaskTest, PlacesAreKeptThatDrawLessThanTheRate) {
  EXPECT_EQ(Mask(5489, 0.065, 3), (std::vector<float>{0, 2.5, 0}));
  EXPECT_EQ(Mask(5489, 0.07, 3), (std::vector<float>{0, 2.5, 2.5}));
  EXPECT_EQ(Mask(5489, 0.5541, 3), (std::vector<float>{0, 2.5, 2.5}));
  EXPECT_EQ(Mask(5489, 0.5542, 3), (std::vector<float>{2.5, 2.5, 2.5}));
}

// A bound between a draw and the next larger number of 53 bits.
TEST(DropoutMaskTest, TheLastBitOfADrawCounts) {
  const double drawn =
      std::ldexp(static_cast<double>(int64_t{1162076} << 32 | 581869302), -53);
  EXPECT_EQ(Mask(5489, drawn, 1), std::vector<float>{0});
  EXPECT_EQ(Mask(5489, drawn + std::ldexp(1.0, -53), 1),
            std::vector<float>{2.5});
}

// Over several blocks of the generator, and the parts of one.
TEST(DropoutMaskTest, AgreesWithTheStandardGenerator) {
  for (const size_t size : {1u, 311u, 312u, 313u, 2000u}) {
    std::mt19937 words(77);
    std::vector<float> expected;
    while (expected.size() < size) {
      const double high = static_cast<double>(words() % (1u << 21));
      const double low = static_cast<double>(words());
      const double drawn =
          (high * std::ldexp(1.0, 32) + low) / std::ldexp(1, 53);
      expected.push_back(drawn < 0.7 ? 2.5f : 0.0f);
    }
    EXPECT_EQ(Mask(77, 0.7, size), expected) << size;
  }
}

TEST(DropoutMaskTest, TheLowBitsOfTheKeySeed) {
  EXPECT_EQ(Mask(uint64_t{9} << 32 | 77, 0.5, 700), Mask(77, 0.5, 700));
  EXPECT_NE(Mask(78, 0.5, 700), Mask(77, 0.5, 700));
}

TEST(DropoutMaskTest, RatesOfZeroAndOne) {
  EXPECT_EQ(Mask(3, 0, 400), std::vector<float>(400, 0));
  EXPECT_EQ(Mask(3, 1, 400), std::vector<float>(400, 2.5));
  EXPECT_TRUE(Mask(3, 0.5, 0).empty());
}

}  // namespace
}  // namespace tributary
