#include "trainer_client/torch/train/schedule/early_stopping.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

namespace tributary {
namespace {

// The number of values taken until it stops; 0: it does not.
size_t StopsAfter(EarlyStoppingOptions options,
                  const std::vector<double>& metrics) {
  EarlyStopping stopping(options);
  for (size_t i = 0; i < metrics.size(); ++i) {
    stopping.Update(metrics[i]);
    if (stopping.should_stop()) return i + 1;
  }
  return 0;
}

TEST(EarlyStoppingTest, StopsAfterPatienceEvaluationsWithoutImprovement) {
  EXPECT_EQ(StopsAfter({.patience = 2}, {0.5, 0.6, 0.6, 0.7, 0.7, 0.6}), 6);
  EXPECT_EQ(StopsAfter({.patience = 1}, {0.5, 0.6, 0.6, 0.7}), 3);
  EXPECT_EQ(StopsAfter({.patience = 3}, {0.5, 0.4, 0.4, 0.6, 0.5, 0.5}), 0);
}

TEST(EarlyStoppingTest, ModeMin) {
  EXPECT_EQ(
      StopsAfter({.patience = 2, .mode = MetricMode::kMin}, {2, 1, 3, 1.5}), 4);
}

TEST(EarlyStoppingTest, SmallChangesAreNoImprovement) {
  EarlyStopping stopping({.patience = 9, .min_delta = 0.25});
  EXPECT_TRUE(stopping.Update(1));
  EXPECT_FALSE(stopping.Update(1.25));  // not more than min_delta
  EXPECT_TRUE(stopping.Update(1.5));
  EXPECT_EQ(stopping.state(), (EarlyStoppingState{1.5, 0}));
  EarlyStopping loss(
      {.patience = 9, .min_delta = 0.25, .mode = MetricMode::kMin});
  EXPECT_TRUE(loss.Update(1));
  EXPECT_FALSE(loss.Update(0.75));
  EXPECT_TRUE(loss.Update(0.5));
}

TEST(EarlyStoppingTest, NanIsNoImprovement) {
  EXPECT_EQ(StopsAfter({.patience = 2},
                       {std::nan(""), 0.1, std::nan(""), std::nan("")}),
            4);
}

TEST(EarlyStoppingTest, ContinuesFromItsState) {
  EarlyStopping first({.patience = 2});
  first.Update(0.5);
  first.Update(0.4);
  EXPECT_FALSE(first.should_stop());
  EarlyStopping resumed({.patience = 2}, first.state());
  EXPECT_FALSE(resumed.Update(0.5));
  EXPECT_TRUE(resumed.should_stop());
}

TEST(EarlyStoppingTest, RefusesWhatIsOutOfRange) {
  EXPECT_EQ(EarlyStoppingOptions{.patience = 0}.Validate().message(),
            "early stopping: patience is 0; allowed: 1 or more");
  for (double delta : {-0.5, std::nan(""), HUGE_VAL}) {
    EXPECT_FALSE(EarlyStoppingOptions{.min_delta = delta}.Validate().ok());
  }
  EXPECT_TRUE(EarlyStoppingOptions{}.Validate().ok());
}

}  // namespace
}  // namespace tributary
