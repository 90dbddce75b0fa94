// LABOR-0 through SampleHop: each subset of a node's neighbours is equally
// likely, so its mean is unbiased; and the union of two nodes' neighbours is as
// small as shared variates make it.
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <map>
#include <memory>
#include <numeric>
#include <set>

#include "tests/statistics/chi_square.h"
#include "tests/statistics/row_draws.h"

namespace tributary {
namespace {

constexpr int32_t kFanout = 3;
const Positions kFirstNode = {0, 1, 2, 3, 4, 5};
const Positions kSecondNode = {2, 3, 4, 5, 6, 7};

// The neighbours that the two nodes draw in one batch.
using BothNodes = std::pair<Positions, Positions>;
using DrawBoth = std::function<BothNodes(uint64_t batch)>;

PhiloxKey KeyOf(uint64_t batch) {
  return DefinedKey({.batch = batch, .purpose = 5, .name = ""});
}

DrawBoth FromKernel() {
  auto rows = std::make_shared<HopRows>(std::vector<uint64_t>{6, 6});
  Positions ids = kFirstNode;
  ids.insert(ids.end(), kSecondNode.begin(), kSecondNode.end());
  rows->SetNeighborIds(ids);
  return [rows](uint64_t batch) {
    const AskedNodes nodes(2);
    HopQuery query = nodes.Query(kFanout, false);
    query.key = KeyOf(batch);
    query.draw = DrawMode::kLabor;
    BothNodes both;
    const auto drawn = PositionsDrawn(*rows, query);
    EXPECT_TRUE(drawn.ok()) << drawn.status();
    for (uint64_t p : drawn->at(0)) both.first.push_back(kFirstNode[p]);
    for (uint64_t p : drawn->at(1)) both.second.push_back(kSecondNode[p]);
    return both;
  };
}

size_t UnionOf(const BothNodes& both) {
  std::set<uint64_t> all(both.first.begin(), both.first.end());
  all.insert(both.second.begin(), both.second.end());
  return all.size();
}

// Returns the first `kFanout` of `order` that are neighbours of a node.
Positions FirstOf(const Positions& order, const Positions& neighbors) {
  Positions first;
  for (uint64_t v : order) {
    if (first.size() < kFanout &&
        std::count(neighbors.begin(), neighbors.end(), v) > 0) {
      first.push_back(v);
    }
  }
  std::sort(first.begin(), first.end());
  return first;
}

// 3, 4, or more; 6 only without shared variates: of the four neighbours that
// the nodes have in common, the smallest is the same for both.
size_t CellOf(const BothNodes& both) {
  return std::min<size_t>(UnionOf(both), 5) - 3;
}

// Returns the cells' probabilities, over all 8! orders of the neighbours.
std::vector<double> UnionChances() {
  std::vector<double> chances(3, 0);
  Positions order(8);
  std::iota(order.begin(), order.end(), 0);
  do {
    chances[CellOf({FirstOf(order, kFirstNode),
                    FirstOf(order, kSecondNode)})] += 1.0 / 40'320;
  } while (std::next_permutation(order.begin(), order.end()));
  return chances;
}

ChiSquare Unions(const DrawBoth& draw) {
  std::vector<int64_t> counts(3, 0);
  for (uint64_t batch = 0; batch < 40'000; ++batch) {
    ++counts[CellOf(draw(batch))];
  }
  return GoodnessOfFit(counts, UnionChances());
}

ChiSquare Subsets(const DrawBoth& draw) {
  std::map<Positions, int64_t> counts;
  for (uint64_t batch = 0; batch < 92'000; ++batch) {
    ++counts[draw(batch).first];
  }
  std::vector<int64_t> cells;
  for (const auto& [subset, count] : counts) cells.push_back(count);
  cells.resize(20, 0);
  return Evenness(cells);
}

TEST(Labor, EachSubsetOfANodeComesAlike) {
  const ChiSquare x = Subsets(FromKernel());
  EXPECT_EQ(x.degrees, 19);
  EXPECT_TRUE(IsPlausible(x)) << x;
}

// The mean over the drawn, each with weight 1 / 3, of values 0, 1, 4, ..., 25:
// 55 / 6 in expectation. A mean's variance is that of 3 of 6 without
// replacement; the square of the standardised sum is chi-square.
TEST(Labor, TheMeanIsUnbiased) {
  constexpr int kDraws = 40'000;
  const DrawBoth draw = FromKernel();
  double sum = 0;
  for (uint64_t batch = 0; batch < kDraws; ++batch) {
    for (uint64_t v : draw(batch).first) {
      sum += static_cast<double>(v * v) / 3;
    }
  }
  const double mean = 55.0 / 6, squares = 979.0 / 6;  // of v^2 and of v^4
  const double variance = (squares - mean * mean) / 3 * (6 - 3) / (6 - 1);
  const double error = sum - kDraws * mean;
  const ChiSquare x{error * error / (kDraws * variance), 1};
  EXPECT_TRUE(IsPlausible(x)) << x;
}

TEST(Labor, UnionsAreAsSmallAsSharedVariatesMakeThem) {
  const ChiSquare x = Unions(FromKernel());
  EXPECT_EQ(x.degrees, 2);
  EXPECT_TRUE(IsPlausible(x)) << x;
}

// Planted fault: each node draws independently, as in neighbour sampling.
TEST(LaborFinds, NodesThatDoNotShare) {
  const ChiSquare x = Unions([](uint64_t batch) {
    BothNodes both;
    const PhiloxKey key = KeyOf(batch);
    for (uint64_t p : DefinedDraw(DefinedWords(key, 0), 6, kFanout, false)) {
      both.first.push_back(kFirstNode[p]);
    }
    for (uint64_t p : DefinedDraw(DefinedWords(key, 1), 6, kFanout, false)) {
      both.second.push_back(kSecondNode[p]);
    }
    return both;
  });
  EXPECT_TRUE(IsRefuted(x)) << x;
}

// Planted fault: variates belong to positions, not to neighbours.
TEST(LaborFinds, VariatesOfPositions) {
  const ChiSquare x = Unions([](uint64_t batch) {
    BothNodes both;
    for (uint64_t p :
         DefinedLaborDraw(KeyOf(batch), {0, 1, 2, 3, 4, 5}, kFanout)) {
      both.first.push_back(kFirstNode[p]);
      both.second.push_back(kSecondNode[p]);
    }
    return both;
  });
  EXPECT_TRUE(IsRefuted(x)) << x;
}

// Planted fault: variates of eight values, where ties favour low ids.
TEST(LaborFinds, VariatesOfThreeBits) {
  const ChiSquare x = Subsets([](uint64_t batch) {
    Positions order = kFirstNode;
    const auto variate = [&](uint64_t v) {
      return DefinedVariate(KeyOf(batch), v) >> 61;
    };
    std::stable_sort(order.begin(), order.end(), [&](uint64_t a, uint64_t b) {
      return variate(a) < variate(b);
    });
    return BothNodes{FirstOf(order, kFirstNode), {}};
  });
  EXPECT_TRUE(IsRefuted(x)) << x;
}

}  // namespace
}  // namespace tributary
