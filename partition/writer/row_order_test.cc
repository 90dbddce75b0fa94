#include "partition/writer/row_order.h"

#include <cmath>
#include <limits>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace tributary {
namespace {

using testing::ElementsAre;

std::vector<uint64_t> SumsOf(const std::vector<double>& weights) {
  std::vector<uint64_t> sums(weights.size());
  SumWeights(weights, absl::MakeSpan(sums));
  return sums;
}

// The integers of docs/sampling.md: 1073741824 2147483648 0 3221225471
// 4294967295.
TEST(RowOrder, SumsAreOfTheFormatsIntegers) {
  EXPECT_THAT(
      SumsOf({1, 2, 0, 3, 4}),
      ElementsAre(1073741824, 3221225472, 3221225472, 6442450943, 10737418238));
}

TEST(RowOrder, EqualWeightsAreAllOfTheRange) {
  EXPECT_THAT(SumsOf({0.1, 0.1}), ElementsAre(4294967295, 8589934590));
}

TEST(RowOrder, WhatIsNotZeroNeverBecomesZero) {
  EXPECT_THAT(SumsOf({1e-300, 1, -0.0, 5e-324}),
              ElementsAre(1, 4294967296, 4294967296, 4294967297));
}

TEST(RowOrder, RowOfZerosHasNoMass) {
  EXPECT_THAT(SumsOf({0, -0.0, 0}), ElementsAre(0, 0, 0));
  EXPECT_THAT(SumsOf({}), ElementsAre());
}

TEST(RowOrder, HugeAndDenormalWeightsKeepTheirRatio) {
  const double huge = std::numeric_limits<double>::max();
  EXPECT_THAT(SumsOf({huge, huge / 2}), ElementsAre(4294967295, 6442450943));
  EXPECT_THAT(SumsOf({5e-324, 1e-323}), ElementsAre(2147483648, 6442450943));
}

// With a largest weight of 2^32 - 1 the others stay as they are.
TEST(RowOrder, TiesGoToTheEvenInteger) {
  const double max = 4294967295.0;
  EXPECT_EQ(IntegerWeight(1.5, max), 2u);
  EXPECT_EQ(IntegerWeight(2.5, max), 2u);
  EXPECT_EQ(IntegerWeight(3.5, max), 4u);
  EXPECT_EQ(IntegerWeight(0.25, max), 1u);  // at least 1
}

TEST(RowOrder, WeightsAreFiniteAndNotNegative) {
  EXPECT_TRUE(IsWeight(0));
  EXPECT_TRUE(IsWeight(-0.0));
  EXPECT_TRUE(IsWeight(5e-324));
  EXPECT_FALSE(IsWeight(-5e-324));
  EXPECT_FALSE(IsWeight(std::numeric_limits<double>::infinity()));
  EXPECT_FALSE(IsWeight(std::nan("")));
}

TEST(RowOrder, TimesThatTieStayInCanonicalOrder) {
  std::vector<TimedPosition> order = {{7, 7}};
  const int64_t min = std::numeric_limits<int64_t>::min();
  OrderByTime({5, -1, 5, min, -1}, order);
  EXPECT_THAT(order, ElementsAre(TimedPosition{min, 3}, TimedPosition{-1, 1},
                                 TimedPosition{-1, 4}, TimedPosition{5, 0},
                                 TimedPosition{5, 2}));
  OrderByTime({}, order);
  EXPECT_TRUE(order.empty());
}

}  // namespace
}  // namespace tributary
