#include "trainer_client/torch/tasks/link_metrics.h"

#include <cmath>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace tributary {
namespace {

using ::testing::HasSubstr;

// Three links; the last one has one negative, the others have two.
struct ThreeLinks {
  std::vector<float> labels{1, 0, 0, 1, 0, 0, 1, 0, NAN};
  std::vector<float> scores{5, 1, 2, 3, 4, 0, 1, 1, NAN};
  LinkScores get() const {
    return {.columns = 3, .labels = labels, .scores = scores};
  }
};

TEST(LinkMetricsTest, HitsRanksAllLinksAmongAllNegatives) {
  const ThreeLinks links;
  // Negatives 4 2 1 1 0; links 5 3 1.
  EXPECT_DOUBLE_EQ(*MeasureLinks(Metric::Hits(1), links.get()), 1.0 / 3);
  EXPECT_DOUBLE_EQ(*MeasureLinks(Metric::Hits(2), links.get()), 2.0 / 3);
  EXPECT_DOUBLE_EQ(*MeasureLinks(Metric::Hits(4), links.get()), 2.0 / 3);
  EXPECT_DOUBLE_EQ(*MeasureLinks(Metric::Hits(5), links.get()), 1);
}

TEST(LinkMetricsTest, MrrRanksALinkAmongItsOwnNegatives) {
  const ThreeLinks links;
  // Ranks 1, 2, and 1.5 for the tie.
  EXPECT_DOUBLE_EQ(*MeasureLinks(Metric::kMrr, links.get()),
                   (1 + 1.0 / 2 + 1 / 1.5) / 3);
}

TEST(LinkMetricsTest, RocAucAndApTakeAllScoresTogether) {
  const ThreeLinks links;
  // Of 15 pairs: 5 wins 5, 3 wins 4, 1 wins 1 and ties with 2.
  EXPECT_DOUBLE_EQ(*MeasureLinks(Metric::kRocAuc, links.get()), 11.0 / 15);
  // Descending: 5+ 4- 3+ 2- 1+(with two negatives) 0-.
  EXPECT_DOUBLE_EQ(*MeasureLinks(Metric::kAveragePrecision, links.get()),
                   (1 + 2.0 / 3 + 3.0 / 7) / 3);
}

TEST(LinkMetricsTest, NegativesOfASplitAreSharedByAllLinks) {
  const std::vector<float> labels{1, 1}, scores{3, 1}, negatives{2, 0, -1};
  const LinkScores links{
      .labels = labels, .scores = scores, .negatives = negatives};
  EXPECT_DOUBLE_EQ(*MeasureLinks(Metric::Hits(1), links), 0.5);
  EXPECT_DOUBLE_EQ(*MeasureLinks(Metric::Hits(2), links), 1);
  EXPECT_DOUBLE_EQ(*MeasureLinks(Metric::kRocAuc, links), 5.0 / 6);
  EXPECT_THAT(MeasureLinks(Metric::kMrr, links).status().message(),
              HasSubstr("belong to no link"));
}

TEST(LinkMetricsTest, WhatCannotBeMeasuredIsRefused) {
  const std::vector<float> labels{1, 1}, scores{3, 1};
  const LinkScores links{.labels = labels, .scores = scores};
  EXPECT_THAT(MeasureLinks(Metric::Hits(1), links).status().message(),
              HasSubstr("no negatives"));
  EXPECT_THAT(MeasureLinks(Metric::kMrr, links).status().message(),
              HasSubstr("link 0 has no negatives"));
  EXPECT_THAT(MeasureLinks(Metric::kAccuracy, links).status().message(),
              HasSubstr("accuracy does not measure links"));
  EXPECT_FALSE(MeasureLinks(Metric::kMrr,
                            {.columns = 3, .labels = labels, .scores = scores})
                   .ok());
}

}  // namespace
}  // namespace tributary
