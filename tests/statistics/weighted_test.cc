// Weighted draws have the probabilities of successive sampling: compares every
// outcome of a small row, through SampleHop, with its enumerated probability.
// Each statistic must also detect draws with planted faults.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>

#include "tests/statistics/chi_square.h"
#include "tests/statistics/row_draws.h"

namespace tributary {
namespace {

constexpr int64_t kDraws = 92'000;

// With zeros; some more than twice as likely as another, some less than half.
const std::vector<double>& Weights() {
  static const auto* const weights =
      new std::vector<double>{1, 0, 2, 3, 0, 4, 10};
  return *weights;
}

// The probability of each outcome of drawing k one after another, each in
// proportion to the weights that are left; with replacement nothing leaves.
void Enumerate(std::vector<double> left, int k, bool replace, double chance,
               Positions drawn, std::map<Positions, double>* outcomes) {
  if (k == 0) {
    std::sort(drawn.begin(), drawn.end());
    (*outcomes)[drawn] += chance;
    return;
  }
  double mass = 0;
  for (double w : left) mass += w;
  for (size_t p = 0; p < left.size(); ++p) {
    if (left[p] == 0) continue;
    std::vector<double> then = left;
    if (!replace) then[p] = 0;
    Positions more = drawn;
    more.push_back(p);
    Enumerate(then, k - 1, replace, chance * left[p] / mass, more, outcomes);
  }
}

class Counts {
 public:
  explicit Counts(bool replace) {
    std::map<Positions, double> outcomes;
    Enumerate(Weights(), 3, replace, 1, {}, &outcomes);
    for (const auto& [outcome, chance] : outcomes) {
      cell_[outcome] = chances_.size();
      chances_.push_back(chance);
    }
    counts_.resize(chances_.size());
  }
  void See(const Positions& drawn) { ++counts_[cell_.at(drawn)]; }
  ChiSquare Fit() const { return GoodnessOfFit(counts_, chances_); }

 private:
  std::map<Positions, size_t> cell_;
  std::vector<double> chances_;
  std::vector<int64_t> counts_;
};

ChiSquare OfKernel(bool replace) {
  HopRows rows({Weights().size()});
  rows.SetWeights(Weights());
  HopQuery query;
  query.draw = DrawMode::kWeighted;
  query.fanout = 3;
  query.replace = replace;
  Counts counts(replace);
  ForEachKernelDraw(rows, query, kDraws,
                    [&](const Positions& drawn) { counts.See(drawn); });
  return counts.Fit();
}

ChiSquare Of(bool replace, const DrawOnce& draw) {
  Counts counts(replace);
  ForEachDefinedDraw(draw, kDraws,
                     [&](const Positions& drawn) { counts.See(drawn); });
  return counts.Fit();
}

TEST(Weighted, WithoutReplacementIsSuccessiveSampling) {
  const ChiSquare x = OfKernel(false);
  EXPECT_EQ(x.degrees, 9);  // 3 of 5
  EXPECT_TRUE(IsPlausible(x)) << x;
}

TEST(Weighted, WithReplacementIsMultinomial) {
  const ChiSquare x = OfKernel(true);
  EXPECT_EQ(x.degrees, 34);  // multisets of 3 of 5
  EXPECT_TRUE(IsPlausible(x)) << x;
}

// The kernel's draws are the definition's (weighted_hop_test), so a fault is a
// change of that.
TEST(WeightedFinds, WeightsLeftOut) {
  const Positions positive = {0, 2, 3, 5, 6};
  for (const bool replace : {false, true}) {
    const ChiSquare x = Of(replace, [&](const Words& words) {
      Positions drawn = DefinedDraw(words, positive.size(), 3, replace);
      for (uint64_t& p : drawn) p = positive[p];
      return drawn;
    });
    EXPECT_TRUE(IsRefuted(x)) << x;
  }
}

// Planted fault: each draw is among the whole mass, and a position already
// taken gives the next one.
TEST(WeightedFinds, DrawnMassThatStays) {
  const auto weights = DefinedWeights(Weights());
  const ChiSquare x = Of(false, [&](const Words& words) {
    const Positions draws = DefinedWeightedDraw(
        [&](uint32_t j) { return words(j); }, weights, 3, true);
    Positions drawn;
    for (uint64_t p : draws) {
      while (weights[p] == 0 || std::count(drawn.begin(), drawn.end(), p) > 0) {
        p = (p + 1) % weights.size();
      }
      drawn.push_back(p);
    }
    std::sort(drawn.begin(), drawn.end());
    return drawn;
  });
  EXPECT_TRUE(IsRefuted(x)) << x;
}

// 1 part of 19 instead of 2 of 20.
TEST(WeightedFinds, AWeightThatIsHalved) {
  auto halved = Weights();
  halved[2] = 1;
  for (const bool replace : {false, true}) {
    const ChiSquare x = Of(replace, [&](const Words& words) {
      return DefinedWeightedDraw(words, DefinedWeights(halved), 3, replace);
    });
    EXPECT_TRUE(IsRefuted(x)) << x;
  }
}

}  // namespace
}  // namespace tributary
