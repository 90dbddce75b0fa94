// Temporal draws are uniform over the eligible neighbours, through SampleHop.
// The statistics must also detect draws with planted faults.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>

#include "tests/statistics/chi_square.h"
#include "tests/statistics/row_draws.h"

namespace tributary {
namespace {

constexpr int64_t kDraws = 92'000;
constexpr int64_t kBound = 5;

// Positions 0, 2, 3, 5, 7 and 8 are eligible at 5; 3 and 8 just so.
const std::vector<int64_t>& Times() {
  static const auto* const times =
      new std::vector<int64_t>{1, 9, 4, 5, 6, 1, 7, -3, 5};
  return *times;
}

// Every way to take 3 of the 6.
class Counts {
 public:
  Counts() {
    const Positions eligible = {0, 2, 3, 5, 7, 8};
    for (size_t a = 0; a < 6; ++a) {
      for (size_t b = a + 1; b < 6; ++b) {
        for (size_t c = b + 1; c < 6; ++c) {
          counts_[{eligible[a], eligible[b], eligible[c]}] = 0;
        }
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

TEST(Temporal, EligibleSubsetsComeAlike) {
  HopRows rows({Times().size()});
  rows.SetEdgeTimes(Times());
  HopQuery query;
  query.fanout = 3;
  query.time = TimeMode::kEdge;
  Counts counts;
  ForEachKernelDraw(
      rows, query, kDraws, [&](const Positions& drawn) { counts.See(drawn); },
      kBound);
  const ChiSquare x = counts.Fit();
  EXPECT_EQ(x.degrees, 19);
  EXPECT_TRUE(IsPlausible(x)) << x;
}

ChiSquare Of(const DrawOnce& draw) {
  Counts counts;
  ForEachDefinedDraw(draw, kDraws,
                     [&](const Positions& drawn) { counts.See(drawn); });
  return counts.Fit();
}

// Planted fault: with an unwanted `strict`, 3 and 8 are never drawn.
TEST(TemporalFinds, ABoundThatIsMissed) {
  const ChiSquare x = Of([](const Words& words) {
    return DefinedTimedDraw(words, Times(), {.bound = kBound, .strict = true},
                            3, false);
  });
  EXPECT_TRUE(IsRefuted(x)) << x;
}

// Rejection sampling among all positions is uniform; the planted fault takes
// the next eligible position instead of an ineligible one.
TEST(TemporalFinds, LateNeighboursThatGiveTheNext) {
  const ChiSquare x = Of([](const Words& words) {
    Positions drawn;
    for (uint64_t p : DefinedDraw(words, Times().size(), 3, false)) {
      while (Times()[p] > kBound ||
             std::count(drawn.begin(), drawn.end(), p) > 0) {
        p = (p + 1) % Times().size();
      }
      drawn.push_back(p);
    }
    std::sort(drawn.begin(), drawn.end());
    return drawn;
  });
  EXPECT_TRUE(IsRefuted(x)) << x;
}

}  // namespace
}  // namespace tributary
