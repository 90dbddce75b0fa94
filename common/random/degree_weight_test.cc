#include "common/random/degree_weight.h"

#include <gtest/gtest.h>

namespace tributary {
namespace {

// 3/4 is 1/2 + 1/4: sqrt(d) x sqrt(sqrt(d)).
TEST(DegreeWeight, IsTheDefinitions) {
  const uint32_t power = DegreePower(0.75);
  EXPECT_EQ(power, 49152u);
  EXPECT_EQ(DegreeWeight(2, power), 110218u);
  EXPECT_EQ(DegreeWeight(3, power), 149390u);
  EXPECT_EQ(DegreeWeight(5, power), 219133u);
  EXPECT_EQ(DegreeWeight(1000, power), 11654132u);
  EXPECT_EQ(DegreeWeight(123456789, power), 76756676786u);
  EXPECT_EQ(DegreeWeight(10, DegreePower(0.3)), 130762u);
  EXPECT_EQ(DegreeWeight(10, 1), 65538u);
}

TEST(DegreeWeight, EndsOfTheRange) {
  EXPECT_EQ(DegreeWeight(0, 1), 0u);
  EXPECT_EQ(DegreeWeight(1, 1), 65536u);
  EXPECT_EQ(DegreeWeight(7, kWholePower), 7u * 65536);
  EXPECT_EQ(DegreeWeight(kMaxWeighedEdges - 1, kWholePower),
            (kMaxWeighedEdges - 1) << 16);
  EXPECT_EQ(DegreeWeight(16, DegreePower(0.5)), 4u * 65536);
  EXPECT_EQ(DegreeWeight(16, DegreePower(0.25)), 2u * 65536);
}

TEST(DegreeWeight, GrowsWithDegreeAndPower) {
  for (uint32_t power = 1; power <= kWholePower; power = power * 3 + 1) {
    for (uint64_t degree = 1; degree < 5000; degree += 1 + degree / 9) {
      EXPECT_LE(DegreeWeight(degree, power), DegreeWeight(degree + 1, power));
      EXPECT_LE(DegreeWeight(degree, power - power / 2),
                DegreeWeight(degree, power));
    }
  }
}

TEST(DegreePower, IsInStepsOfAFraction) {
  EXPECT_EQ(DegreePower(1), kWholePower);
  EXPECT_EQ(DegreePower(0.3), 19661u);  // 19660.8
  EXPECT_EQ(DegreePower(1.0 / 65536), 1u);
  EXPECT_EQ(DegreePower(0.5 / 65536), 0u);
}

}  // namespace
}  // namespace tributary
