#include "tests/statistics/chi_square.h"

#include <gtest/gtest.h>

namespace tributary {
namespace {

// Abramowitz and Stegun, table 26.8.
TEST(ChiSquare, UpperTail) {
  EXPECT_NEAR((ChiSquare{3.841, 1}.p()), 0.05, 1e-4);
  EXPECT_NEAR((ChiSquare{45.315, 20}.p()), 0.001, 1e-6);
  EXPECT_NEAR((ChiSquare{10.851, 20}.p()), 0.95, 1e-4);
}

TEST(ChiSquare, BothEndsAreImplausible) {
  EXPECT_TRUE(IsPlausible({19, 19}));
  EXPECT_FALSE(IsPlausible({51, 19}));  // quantile of 0.9999: 50.8
  EXPECT_FALSE(IsPlausible({3, 19}));
  EXPECT_FALSE(IsRefuted({51, 19}));
  EXPECT_TRUE(IsRefuted({110, 19}));
}

// 20, 30 and 50 expected: 100/20 + 100/30 + 0.
TEST(ChiSquare, GoodnessOfFitByHand) {
  const ChiSquare x = GoodnessOfFit({10, 40, 50}, {0.2, 0.3, 0.5});
  EXPECT_NEAR(x.value, 5 + 100.0 / 30 + 0, 1e-12);
  EXPECT_EQ(x.degrees, 2);
  EXPECT_NEAR(Evenness({4, 6}).value, 0.4, 1e-12);
}

// Expected 10 20 / 20 40 from the margins 30, 60 and 30, 60.
TEST(ChiSquare, IndependenceByHand) {
  EXPECT_NEAR(Independence({{10, 20}, {20, 40}}).value, 0, 1e-12);
  const ChiSquare x = Independence({{15, 15}, {15, 45}});
  EXPECT_NEAR(x.value, 25 / 10.0 + 25 / 20.0 + 25 / 20.0 + 25 / 40.0, 1e-12);
  EXPECT_EQ(x.degrees, 1);
}

// 10 draws of 2 of 4: 5 each expected; (2*9/5 + 2*1/5) * 3/4 / (1/2).
TEST(ChiSquare, InclusionByHand) {
  const ChiSquare x = Inclusion({8, 2, 4, 6}, {1, 1, 1, 1}, 2, 10);
  EXPECT_NEAR(x.value, 4.0 * 1.5, 1e-12);
  EXPECT_EQ(x.degrees, 3);
}

// n = 4, k = 2: the 6 subsets are the pairs, 12 draws, 2 each expected. Every
// position comes 6 times; {0,1} and {2,3} come together once too often, {0,2}
// and {1,3} once too rarely: s = 0, sum r^2 = 4, pi_2 = 1/6, pi_3 = pi_4 = 0.
TEST(ChiSquare, PairsTogetherByHand) {
  const ChiSquare x = PairsTogether(
      {{0, 3, 1, 2}, {0, 0, 2, 1}, {0, 0, 0, 3}, {0, 0, 0, 0}}, 2, 12);
  EXPECT_NEAR(x.value, 4 / (12.0 / 6), 1e-12);
  EXPECT_EQ(x.degrees, 2);
}

}  // namespace
}  // namespace tributary
