#include "trainer_client/torch/tasks/ranking_metrics.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <random>
#include <string>

namespace tributary {
namespace {

constexpr float kNaN = std::numeric_limits<float>::quiet_NaN();
using Floats = std::vector<float>;
using Doubles = std::vector<double>;

void ExpectError(const absl::Status& status, absl::StatusCode code,
                 const std::string& text) {
  EXPECT_EQ(status.code(), code);
  EXPECT_NE(std::string(status.message()).find(text), std::string::npos)
      << status;
}

// The second highest negative is 3: the positive 3 is no hit.
TEST(HitsAtKTest, ByHand) {
  EXPECT_EQ(*HitsAtK({5, 4, 3, 1}, {3, 9, 2, 3}, 2), 0.5);
  EXPECT_EQ(*HitsAtK({5, 4, 3, 1}, {3, 9, 2, 3}, 1), 0);
  EXPECT_EQ(*HitsAtK({5, 4, 3, 1}, {3, 9, 2, 3}, 4), 0.75);
}

TEST(HitsAtKTest, FewerNegativesThanKIsOne) {
  EXPECT_EQ(*HitsAtK({-1}, {3, 9}, 3), 1);
  EXPECT_EQ(*HitsAtK({-1}, {}, 1), 1);
  EXPECT_EQ(*HitsAtK({-1}, {3, 9, 4}, 3), 0);
}

TEST(HitsAtKTest, Errors) {
  ExpectError(HitsAtK({1}, {2}, 0).status(), absl::StatusCode::kInvalidArgument,
              "k is 0");
  ExpectError(HitsAtK({}, {2}, 1).status(),
              absl::StatusCode::kFailedPrecondition, "no positives");
  ExpectError(HitsAtK({1, kNaN}, {2}, 1).status(),
              absl::StatusCode::kInvalidArgument, "positive 1 is NaN");
  ExpectError(HitsAtK({1}, {kNaN}, 1).status(),
              absl::StatusCode::kInvalidArgument, "negative 0 is NaN");
}

// Positive 0 is above all; positive 1 is below 9, equal to two, above 1:
// between rank 2 and rank 4; positive 2 is below all.
TEST(RanksTest, ByHand) {
  EXPECT_EQ(*RanksAmongNegatives({5, 3, 0},
                                 {1, 2, 3, 4,  //
                                  9, 3, 3, 1,  //
                                  1, 2, 3, 4},
                                 4),
            (Doubles{1, 3, 5}));
  EXPECT_EQ(*RanksAmongNegatives({3}, {3}, 1), Doubles{1.5});
  EXPECT_EQ(*RanksAmongNegatives({3, 4}, {}, 0), (Doubles{1, 1}));
}

TEST(RanksTest, Errors) {
  ExpectError(RanksAmongNegatives({1, 2}, {1, 2, 3}, 2).status(),
              absl::StatusCode::kInvalidArgument,
              "3 negatives of 2 positives; allowed: 2 for each");
  ExpectError(RanksAmongNegatives({1}, {1}, 0).status(),
              absl::StatusCode::kInvalidArgument, "1 negatives");
  ExpectError(RanksAmongNegatives({1}, {kNaN}, 1).status(),
              absl::StatusCode::kInvalidArgument, "negative 0 is NaN");
}

TEST(MeanReciprocalRankTest, ByHand) {
  EXPECT_DOUBLE_EQ(*MeanReciprocalRank({1, 2, 4, 1.5}),
                   (1 + 0.5 + 0.25 + 2.0 / 3) / 4);
  EXPECT_EQ(*HitsOfRanks({1, 1.5, 3, 3.5}, 1), 0.25);
  EXPECT_EQ(*HitsOfRanks({1, 1.5, 3, 3.5}, 3), 0.75);
  ExpectError(MeanReciprocalRank({}).status(),
              absl::StatusCode::kFailedPrecondition, "no ranks");
  ExpectError(HitsOfRanks({}, 1).status(),
              absl::StatusCode::kFailedPrecondition, "no ranks");
  ExpectError(HitsOfRanks({1}, 0).status(), absl::StatusCode::kInvalidArgument,
              "k is 0");
}

// Entity 2 (score 5) is below entity 1 (7) and equal to entity 4. Unfiltered it
// has rank 2.5; entity 1 is a known answer.
TEST(FilteredRankTest, ByHand) {
  const Floats scores = {1, 7, 5, 2, 5};
  EXPECT_EQ(*FilteredRank(scores, 2, {}), 2.5);
  EXPECT_EQ(*FilteredRank(scores, 2, {1, 2}), 1.5);
  EXPECT_EQ(*FilteredRank(scores, 2, {4, 1, 0}), 1);
  EXPECT_EQ(*FilteredRank(scores, 0, {3}), 4);
}

TEST(FilteredRankTest, Errors) {
  ExpectError(FilteredRank({1, 2}, 2, {}).status(),
              absl::StatusCode::kOutOfRange, "entity 2 has no score");
  ExpectError(FilteredRank({1, 2}, 0, {1, -1}).status(),
              absl::StatusCode::kOutOfRange, "entity -1 has no score");
  ExpectError(FilteredRank({1, kNaN}, 0, {}).status(),
              absl::StatusCode::kInvalidArgument, "entity 1 is NaN");
}

// Against the definitions: for each positive, sort its negatives and look.
TEST(RankingMetricsTest, EqualTheDefinitionsOnRandomScores) {
  std::mt19937 random(3);
  for (int round = 0; round < 300; ++round) {
    Floats negatives(1 + random() % 9);
    for (float& score : negatives) score = static_cast<float>(random() % 6);
    const auto positive = static_cast<float>(random() % 6);
    const size_t k = 1 + random() % negatives.size();

    Floats sorted = negatives;
    std::sort(sorted.rbegin(), sorted.rend());
    EXPECT_EQ(*HitsAtK({positive}, negatives, k),
              positive > sorted[k - 1] ? 1 : 0);
    const auto above = std::find_if(sorted.begin(), sorted.end(),
                                    [&](float s) { return s <= positive; });
    const auto below = std::find_if(sorted.begin(), sorted.end(),
                                    [&](float s) { return s < positive; });
    const double best = static_cast<double>(above - sorted.begin()) + 1;
    const double worst = static_cast<double>(below - sorted.begin()) + 1;
    EXPECT_EQ(
        RanksAmongNegatives({positive}, negatives, negatives.size())->front(),
        (best + worst) / 2);
  }
}

}  // namespace
}  // namespace tributary
