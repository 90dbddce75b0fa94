#include "sampler_server/engine/weighted.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <map>

#include "common/session/hop_key.h"

namespace tributary {
namespace {

using Positions = std::vector<uint64_t>;

constexpr PhiloxKey kFirstKey{0xa9034aaf, 0x0c819c21};

std::vector<uint64_t> Prefix(const std::vector<double>& weights) {
  return PrefixSums(*IntegerWeights(weights));
}

// Vectors of docs/sampling.md.
TEST(Weighted, Vectors) {
  const auto integers = IntegerWeights({1, 2, 0, 3, 4});
  ASSERT_TRUE(integers.ok());
  EXPECT_EQ(*integers, (std::vector<uint32_t>{1073741824, 2147483648, 0,
                                              3221225471, 4294967295}));
  const auto prefix = PrefixSums(*integers);
  const PhiloxStream stream(kFirstKey, 5);
  EXPECT_EQ(DrawWeighted(prefix, 2, false, stream), (Positions{1, 3}));
  EXPECT_EQ(DrawWeighted(prefix, 6, true, stream),
            (Positions{1, 1, 3, 3, 3, 4}));
}

TEST(Weighted, WhatIsNotDrawn) {
  const PhiloxStream stream(kFirstKey, 5);
  EXPECT_EQ(DrawWeighted(Prefix({1, 0, 2}), -1, true, stream),
            (Positions{0, 2}));
  EXPECT_EQ(DrawWeighted(Prefix({1, 0, 2}), 2, false, stream),
            (Positions{0, 2}));
  EXPECT_TRUE(DrawWeighted(Prefix({0, -0.0}), 3, true, stream).empty());
  EXPECT_TRUE(DrawWeighted(Prefix({}), 3, true, stream).empty());
  EXPECT_TRUE(DrawWeighted(Prefix({1}), 0, false, stream).empty());
}

TEST(Weighted, SmallestPositiveWeightStaysPositive) {
  EXPECT_EQ(*IntegerWeights({1e-300, 1}),
            (std::vector<uint32_t>{1, 4294967295}));
}

TEST(Weighted, RefusesWhatIsNoWeight) {
  for (double bad :
       {-1.0, std::nan(""), std::numeric_limits<double>::infinity()}) {
    const auto result = IntegerWeights({1, bad});
    EXPECT_EQ(result.status().code(), absl::StatusCode::kInvalidArgument);
    EXPECT_NE(result.status().message().find("position 1"), std::string::npos);
  }
}

// Successive sampling of 2 from weights 1 2 3 4: P{a, b} = w_a / W * w_b / (W -
// w_a) + the same turned round; 6 outcomes, df 5, 0.999 quantile 20.5.
TEST(Weighted, SuccessiveSamplingProbabilities) {
  const std::vector<double> w = {1, 2, 3, 4};
  constexpr int kDraws = 60'000;
  const auto prefix = Prefix(w);
  std::map<Positions, int> counts;
  for (uint32_t i = 0; i < kDraws; ++i) {
    ++counts[DrawWeighted(prefix, 2, false, PhiloxStream(kFirstKey, i))];
  }
  double chi2 = 0;
  for (uint64_t a = 0; a < 4; ++a) {
    for (uint64_t b = a + 1; b < 4; ++b) {
      const double p =
          w[a] / 10 * w[b] / (10 - w[a]) + w[b] / 10 * w[a] / (10 - w[b]);
      const double d = counts[{a, b}] - p * kDraws;
      chi2 += d * d / (p * kDraws);
    }
  }
  EXPECT_LT(chi2, 20.5);
}

}  // namespace
}  // namespace tributary
