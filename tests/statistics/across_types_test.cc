// A total fanout over edge types through SampleHop: each subset of a node's
// neighbours of all types is equally likely. The statistics must also detect
// draws with planted faults.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <vector>

#include "tests/statistics/chi_square.h"
#include "tests/statistics/row_draws.h"

namespace tributary {
namespace {

constexpr int64_t kDraws = 92'000;
// Three types' neighbours of one node, 10 together.
constexpr uint64_t kDegrees[] = {4, 1, 5};
constexpr uint64_t kDegree = 10;

// Positions in the rows of all types, one after another.
using Draws = std::vector<Positions>;

// Puts together what the queries of the types give.
Draws OfKernel(int32_t fanout, bool replace) {
  std::vector<HopRows> rows;
  for (const uint64_t degree : kDegrees) {
    rows.emplace_back(std::vector<uint64_t>{degree});
  }
  std::vector<EdgePartition> views;
  for (const HopRows& of_type : rows) views.push_back(of_type.view());
  Draws draws(kDraws);
  uint64_t before = 0;
  for (size_t t = 0; t < rows.size(); ++t) {
    HopQuery query;
    query.draw = DrawMode::kAcrossTypes;
    query.fanout = fanout;
    query.replace = replace;
    for (size_t other = 0; other < rows.size(); ++other) {
      if (other < t) query.others.before.push_back(&views[other]);
      if (other > t) query.others.after.push_back(&views[other]);
    }
    size_t i = 0;
    ForEachKernelDraw(rows[t], query, kDraws, [&](const Positions& drawn) {
      for (const uint64_t p : drawn) draws[i].push_back(before + p);
      ++i;
    });
    before += kDegrees[t];
  }
  return draws;
}

// Every way to take 3 of the 10.
std::map<Positions, int64_t> Subsets() {
  std::map<Positions, int64_t> counts;
  for (uint64_t a = 0; a < kDegree; ++a) {
    for (uint64_t b = a + 1; b < kDegree; ++b) {
      for (uint64_t c = b + 1; c < kDegree; ++c) counts[{a, b, c}] = 0;
    }
  }
  return counts;
}

// What is no subset fails.
ChiSquare FitOfSubsets(const Draws& draws) {
  std::map<Positions, int64_t> counts = Subsets();
  for (const Positions& drawn : draws) ++counts.at(drawn);
  std::vector<int64_t> cells;
  for (const auto& [subset, count] : counts) cells.push_back(count);
  return Evenness(cells);
}

// How many of three draws are of each type: hypergeometric.
ChiSquare FitOfTypes(const Draws& draws) {
  const auto of_types = [](const Positions& drawn) {
    std::vector<uint64_t> count(3, 0);
    for (const uint64_t p : drawn) ++count[p < 4 ? 0 : p < 5 ? 1 : 2];
    return count;
  };
  std::map<std::vector<uint64_t>, int64_t> ways, counts;
  for (const auto& [subset, none] : Subsets()) ++ways[of_types(subset)];
  for (const Positions& drawn : draws) ++counts[of_types(drawn)];
  std::vector<int64_t> cells;
  std::vector<double> probabilities;
  for (const auto& [types, subsets] : ways) {
    cells.push_back(counts[types]);
    probabilities.push_back(static_cast<double>(subsets) / 120);
  }
  return GoodnessOfFit(cells, probabilities);
}

TEST(AcrossTypes, EachSubsetOfANodesNeighboursComesAlike) {
  const Draws draws = OfKernel(3, false);
  const ChiSquare subsets = FitOfSubsets(draws);
  EXPECT_EQ(subsets.degrees, 119);
  EXPECT_TRUE(IsPlausible(subsets)) << subsets;
  const ChiSquare types = FitOfTypes(draws);
  EXPECT_TRUE(IsPlausible(types)) << types;
}

// Draws with replacement are all of them there, and each position as often.
TEST(AcrossTypes, PositionsComeAlikeWithReplacement) {
  std::vector<int64_t> counts(kDegree, 0);
  for (const Positions& drawn : OfKernel(7, true)) {
    ASSERT_EQ(drawn.size(), 7u);
    for (const uint64_t p : drawn) ++counts[p];
  }
  const ChiSquare x = Evenness(counts);
  EXPECT_TRUE(IsPlausible(x)) << x;
}

// One neighbour of each type, whatever their numbers: DGL's fanout for each
// type, cut to the total.
TEST(AcrossTypesFinds, AnEqualShareOfEachType) {
  Draws draws;
  ForEachDefinedDraw(
      [](const Words& words) {
        return Positions{DefinedBelow(words, 0, 4, false), 4,
                         5 + DefinedBelow(words, 1, 5, false)};
      },
      kDraws, [&](const Positions& drawn) { draws.push_back(drawn); });
  EXPECT_TRUE(IsRefuted(FitOfSubsets(draws))) << FitOfSubsets(draws);
  EXPECT_TRUE(IsRefuted(FitOfTypes(draws))) << FitOfTypes(draws);
}

// A run of neighbours from a random one: each position comes alike, subsets do
// not.
TEST(AcrossTypesFinds, NeighboursThatStandSideBySide) {
  Draws draws;
  ForEachDefinedDraw(
      [](const Words& words) {
        const uint64_t first = DefinedBelow(words, 0, kDegree, false);
        Positions drawn = {first, (first + 1) % kDegree, (first + 2) % kDegree};
        std::sort(drawn.begin(), drawn.end());
        return drawn;
      },
      kDraws, [&](const Positions& drawn) { draws.push_back(drawn); });
  EXPECT_TRUE(IsRefuted(FitOfSubsets(draws))) << FitOfSubsets(draws);
  EXPECT_TRUE(IsRefuted(FitOfTypes(draws))) << FitOfTypes(draws);
}

}  // namespace
}  // namespace tributary
