// Draws among eligible neighbours are as even as draws among all, through
// SampleHop. The statistics must also detect draws with planted faults.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <memory>

#include "tests/statistics/chi_square.h"
#include "tests/statistics/row_draws.h"

namespace tributary {
namespace {

constexpr int64_t kDraws = 92'000;
constexpr uint64_t kDegree = 10;

// Positions 1, 2, 6 and 9 may not be drawn.
const Positions& Eligible() {
  static const auto* const eligible = new Positions{0, 3, 4, 5, 7, 8};
  return *eligible;
}

// Every way to take 3 of the 6.
class Counts {
 public:
  Counts() {
    const Positions& of = Eligible();
    for (size_t a = 0; a < 6; ++a) {
      for (size_t b = a + 1; b < 6; ++b) {
        for (size_t c = b + 1; c < 6; ++c) counts_[{of[a], of[b], of[c]}] = 0;
      }
    }
  }
  void See(const Positions& drawn) { ++counts_.at(drawn); }
  ChiSquare Fit() const {
    std::vector<int64_t> counts;
    for (const auto& [outcome, count] : counts_) counts.push_back(count);
    return Evenness(counts);
  }

 private:
  std::map<Positions, int64_t> counts_;
};

ChiSquare OfKernel(const HopRows& rows, HopQuery query) {
  query.fanout = 3;
  Counts counts;
  ForEachKernelDraw(rows, query, kDraws,
                    [&](const Positions& drawn) { counts.See(drawn); });
  return counts.Fit();
}

TEST(Eligible, SubsetsComeAlikeWithoutExcludedEdges) {
  const HopRows rows({kDegree});
  ExcludedEdges excluded;
  excluded.by_id = {{0, 1001}, {0, 1006}};
  excluded.by_source = {{0, 2}, {0, 9}};
  ASSERT_TRUE(excluded.Finish().ok());
  HopQuery query;
  query.excluded = {excluded, 0, 1};
  const ChiSquare x = OfKernel(rows, query);
  EXPECT_EQ(x.degrees, 19);
  EXPECT_TRUE(IsPlausible(x)) << x;
}

TEST(Eligible, SubsetsComeAlikeByPredicate) {
  HopRows rows({kDegree});
  std::vector<float> values(kDegree, 0.25f);
  for (uint64_t p : Eligible()) values[p] = 0.5f;
  rows.SetAttributes(values);
  auto predicate = std::make_shared<EdgePredicate>();
  predicate->conditions = ParseEdgePredicates("edge_attr[0] > 0.4")->by_default;
  HopQuery query;
  query.predicate = predicate;
  const ChiSquare x = OfKernel(rows, query);
  EXPECT_TRUE(IsPlausible(x)) << x;
}

TEST(Eligible, SubsetsComeAlikeByMask) {
  HopRows rows({kDegree});
  std::vector<uint8_t> test(kDegree), train(kDegree);
  test[3] = 1;
  for (uint64_t p : Eligible()) train[p] = 1;
  rows.AddMask(test);
  rows.AddMask(train);
  HopQuery query;
  query.predicate = PredicateOf("edge_mask[train] == 1");
  const ChiSquare x = OfKernel(rows, query);
  EXPECT_TRUE(IsPlausible(x)) << x;
}

// Weights 1 to 10, of which those of positions that are left count. The
// outcomes of two successive draws, enumerated.
TEST(Eligible, WeightsThatAreLeftOutHaveNoPart) {
  HopRows rows({kDegree});
  std::vector<double> weights;
  for (uint64_t p = 0; p < kDegree; ++p) weights.push_back(double(p + 1));
  rows.SetWeights(weights);
  ExcludedEdges excluded;
  excluded.by_id = {{0, 1001}, {0, 1002}, {0, 1006}, {0, 1009}};
  ASSERT_TRUE(excluded.Finish().ok());
  HopQuery query;
  query.fanout = 2;
  query.draw = DrawMode::kWeighted;
  query.excluded = {excluded, 0, 1};
  std::map<Positions, int64_t> counts;
  ForEachKernelDraw(rows, query, kDraws,
                    [&](const Positions& drawn) { ++counts[drawn]; });
  double sum = 0;
  for (uint64_t p : Eligible()) sum += weights[p];
  std::vector<int64_t> seen;
  std::vector<double> probability;
  for (uint64_t a : Eligible()) {
    for (uint64_t b : Eligible()) {
      if (a >= b) continue;
      seen.push_back(counts[{a, b}]);
      probability.push_back(weights[a] / sum * weights[b] / (sum - weights[a]) +
                            weights[b] / sum * weights[a] / (sum - weights[b]));
    }
  }
  const ChiSquare x = GoodnessOfFit(seen, probability);
  EXPECT_EQ(x.degrees, 14);
  EXPECT_TRUE(IsPlausible(x)) << x;
}

ChiSquare Of(const DrawOnce& draw) {
  Counts counts;
  ForEachDefinedDraw(draw, kDraws,
                     [&](const Positions& drawn) { counts.See(drawn); });
  return counts.Fit();
}

bool IsEligible(uint64_t p) {
  return std::count(Eligible().begin(), Eligible().end(), p) > 0;
}

TEST(EligibleFinds, NoFaultInTheDefinition) {
  const ChiSquare x = Of([](const Words& words) {
    Positions drawn;
    for (uint64_t rank : DefinedDraw(words, Eligible().size(), 3, false)) {
      drawn.push_back(Eligible()[rank]);
    }
    return drawn;
  });
  EXPECT_TRUE(IsPlausible(x)) << x;
}

// Planted fault: an ineligible position gives the next eligible one.
TEST(EligibleFinds, ExcludedNeighboursThatGiveTheNext) {
  const ChiSquare x = Of([](const Words& words) {
    Positions drawn;
    for (uint64_t p : DefinedDraw(words, kDegree, 3, false)) {
      while (!IsEligible(p) || std::count(drawn.begin(), drawn.end(), p) > 0) {
        p = (p + 1) % kDegree;
      }
      drawn.push_back(p);
    }
    std::sort(drawn.begin(), drawn.end());
    return drawn;
  });
  EXPECT_TRUE(IsRefuted(x)) << x;
}

// Planted fault: ineligible draws are dropped afterwards, and the fanout is
// filled up from the front.
TEST(EligibleFinds, ADrawThatIsFilledUpAfterwards) {
  const ChiSquare x = Of([](const Words& words) {
    Positions drawn;
    for (uint64_t p : DefinedDraw(words, kDegree, 3, false)) {
      if (IsEligible(p)) drawn.push_back(p);
    }
    for (uint64_t p : Eligible()) {
      if (drawn.size() < 3 && std::count(drawn.begin(), drawn.end(), p) == 0) {
        drawn.push_back(p);
      }
    }
    std::sort(drawn.begin(), drawn.end());
    return drawn;
  });
  EXPECT_TRUE(IsRefuted(x)) << x;
}

}  // namespace
}  // namespace tributary
