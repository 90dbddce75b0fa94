#include "sampler_server/peers/answer_times.h"

#include <gtest/gtest.h>

namespace tributary {
namespace {

constexpr absl::Duration kMs = absl::Milliseconds(1);

class AnswerTimesTest : public ::testing::Test {
 protected:
  void Call(absl::Duration took, bool answered = true) {
    times_.Begin(now_);
    now_ += took;
    times_.End(now_ - took, now_, answered);
  }
  double ExpectedMs() const {
    return absl::FDivDuration(times_.Expected(now_), kMs);
  }

  absl::Time now_ = absl::UnixEpoch() + absl::Hours(1);
  AnswerTimes times_;
};

TEST_F(AnswerTimesTest, IsZeroBeforeTheFirstAnswer) {
  EXPECT_EQ(times_.Expected(now_), absl::ZeroDuration());
}

// 8 ms, an eighth of which counts; then half of that a second later.
TEST_F(AnswerTimesTest, IsAMeanThatIsForgotten) {
  Call(8 * kMs);
  EXPECT_NEAR(ExpectedMs(), 1, 1e-9);
  now_ += AnswerTimes::kHalfLife;
  EXPECT_NEAR(ExpectedMs(), 0.5, 1e-9);
  for (int i = 0; i < 100; ++i) Call(8 * kMs);
  EXPECT_NEAR(ExpectedMs(), 8, 0.5);
}

TEST_F(AnswerTimesTest, ACallThatWaitsCounts) {
  Call(8 * kMs);
  times_.Begin(now_);
  times_.Begin(now_ + 5 * kMs);
  now_ += 300 * kMs;
  EXPECT_EQ(times_.Expected(now_), 300 * kMs);
  times_.End(now_ - 300 * kMs, now_, /*answered=*/false);
  EXPECT_NEAR(ExpectedMs(), 300, 1e-9);
}

TEST_F(AnswerTimesTest, AFastFailureIsNoFastAnswer) {
  for (int i = 0; i < 100; ++i) Call(8 * kMs);
  const double before = ExpectedMs();
  Call(absl::Microseconds(1), /*answered=*/false);
  EXPECT_NEAR(ExpectedMs(), before, 1e-3);
}

}  // namespace
}  // namespace tributary
