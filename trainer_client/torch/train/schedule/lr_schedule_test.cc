#include "trainer_client/torch/train/schedule/lr_schedule.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

namespace tributary {
namespace {

constexpr double kBase = 0.5;

// The rates of epochs 0 to n - 1, with 10 steps to an epoch.
std::vector<double> OfEpochs(const LrSchedule& schedule, uint64_t n) {
  std::vector<double> rates;
  for (uint64_t epoch = 0; epoch < n; ++epoch) {
    rates.push_back(schedule.At(kBase, epoch * 10 + 3, epoch));
  }
  return rates;
}

void ExpectNear(const std::vector<double>& actual,
                const std::vector<double>& expected) {
  ASSERT_EQ(actual.size(), expected.size());
  for (size_t i = 0; i < actual.size(); ++i) {
    EXPECT_NEAR(actual[i], expected[i], 1e-15) << i;
  }
}

TEST(LrScheduleTest, Constant) {
  EXPECT_EQ(OfEpochs({}, 3), (std::vector<double>{kBase, kBase, kBase}));
}

TEST(LrScheduleTest, StepMultipliesByGammaEveryStepSize) {
  const LrSchedule schedule{
      .kind = LrScheduleKind::kStep, .step_size = 2, .gamma = 0.5};
  ExpectNear(OfEpochs(schedule, 6), {0.5, 0.5, 0.25, 0.25, 0.125, 0.125});
}

// cos of 0, 45, 90, 135, 180, 225 degrees.
TEST(LrScheduleTest, CosineFallsToEtaMinAndRisesAgain) {
  const LrSchedule schedule{
      .kind = LrScheduleKind::kCosine, .t_max = 4, .eta_min = 0.1};
  const double half = 0.2 * std::sqrt(0.5);
  ExpectNear(OfEpochs(schedule, 6),
             {0.5, 0.3 + half, 0.3, 0.3 - half, 0.1, 0.3 - half});
}

TEST(LrScheduleTest, WarmUpIsLinearAndTheScheduleBeginsAfterIt) {
  const LrSchedule schedule{.kind = LrScheduleKind::kStep,
                            .step_size = 1,
                            .gamma = 0.5,
                            .warmup = 4,
                            .warmup_factor = 0.2};
  ExpectNear(OfEpochs(schedule, 7), {0.1, 0.2, 0.3, 0.4, 0.5, 0.25, 0.125});
}

TEST(LrScheduleTest, CountsStepsWhereToldTo) {
  const LrSchedule schedule{.kind = LrScheduleKind::kStep,
                            .unit = LrScheduleUnit::kStep,
                            .step_size = 100,
                            .gamma = 0.1};
  EXPECT_EQ(schedule.At(1, 99, 50), 1);
  EXPECT_DOUBLE_EQ(schedule.At(1, 100, 0), 0.1);
  EXPECT_DOUBLE_EQ(schedule.At(1, 299, 0), 0.01);
}

TEST(LrScheduleTest, LastEpochOfAll) {
  const LrSchedule schedule{.kind = LrScheduleKind::kCosine, .t_max = 1};
  EXPECT_NEAR(schedule.At(1, 0, std::numeric_limits<uint64_t>::max()), 0,
              1e-15);
}

TEST(LrScheduleTest, RefusesWhatIsOutOfRange) {
  const double nan = std::nan("");
  const std::vector<std::pair<LrSchedule, std::string>> cases = {
      {{.kind = LrScheduleKind::kStep, .step_size = 0}, "step_size is 0"},
      {{.kind = LrScheduleKind::kStep, .gamma = 0}, "gamma is 0"},
      {{.kind = LrScheduleKind::kStep, .gamma = 1.5}, "gamma is 1.5"},
      {{.kind = LrScheduleKind::kStep, .gamma = nan}, "gamma is nan"},
      {{.kind = LrScheduleKind::kCosine, .t_max = 0}, "t_max is 0"},
      {{.kind = LrScheduleKind::kCosine, .eta_min = -1}, "eta_min is -1"},
      {{.warmup = 1, .warmup_factor = 0}, "warmup_factor is 0"},
      {{.warmup = 1, .warmup_factor = 2}, "warmup_factor is 2"},
  };
  for (const auto& [schedule, text] : cases) {
    const absl::Status status = schedule.Validate();
    EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument) << text;
    EXPECT_NE(std::string(status.message()).find(text), std::string::npos)
        << status;
  }
  EXPECT_TRUE(LrSchedule{}.Validate().ok());
  // Fields of another kind do not matter.
  EXPECT_TRUE((LrSchedule{.step_size = 0, .t_max = 0}.Validate().ok()));
}

TEST(LrScheduleTest, Names) {
  EXPECT_EQ(*LrScheduleKindFromName("constant"), LrScheduleKind::kConstant);
  EXPECT_EQ(*LrScheduleKindFromName("step"), LrScheduleKind::kStep);
  EXPECT_EQ(*LrScheduleKindFromName("cosine"), LrScheduleKind::kCosine);
  EXPECT_EQ(*LrScheduleUnitFromName("epoch"), LrScheduleUnit::kEpoch);
  EXPECT_EQ(*LrScheduleUnitFromName("step"), LrScheduleUnit::kStep);
  EXPECT_EQ(LrScheduleKindFromName("Cosine").status().message(),
            "learning rate schedule: kind is 'Cosine'; allowed: constant, "
            "step, cosine");
  EXPECT_FALSE(LrScheduleUnitFromName("").ok());
}

}  // namespace
}  // namespace tributary
