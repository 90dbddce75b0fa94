#include "trainer_client/torch/train/step_times.h"

#include <gtest/gtest.h>

#include <utility>
#include <vector>

namespace tributary {
namespace {

class ManualClock final : public Clock {
 public:
  absl::Time Now() const override { return now; }
  absl::Time now = absl::UnixEpoch();
};

TEST(StepTimesTest, LapsAreOfTheirPhases) {
  ManualClock clock;
  StepTimer timer(clock);
  const auto pass = [&](double s) { clock.now += absl::Seconds(s); };
  for (int step = 0; step < 2; ++step) {
    pass(100);  // between steps
    timer.Begin();
    pass(3);
    timer.Lap(StepPhase::kWait);
    pass(4);
    timer.Lap(StepPhase::kForward);
    pass(0.5);
    timer.Lap(StepPhase::kReduce);
    pass(0.5);
    timer.Lap(StepPhase::kForward);
  }
  const StepTimes& times = timer.times();
  EXPECT_DOUBLE_EQ(times.of(StepPhase::kWait), 6);
  EXPECT_DOUBLE_EQ(times.of(StepPhase::kForward), 9);
  EXPECT_DOUBLE_EQ(times.of(StepPhase::kReduce), 1);
  EXPECT_EQ(times.of(StepPhase::kBackward), 0);
  EXPECT_DOUBLE_EQ(times.total(), 16);
  EXPECT_DOUBLE_EQ(times.mean_step(), 8);
  EXPECT_DOUBLE_EQ(times.share(StepPhase::kWait), 0.375);
}

TEST(StepTimesTest, EachLapIsTold) {
  ManualClock clock;
  std::vector<std::pair<StepPhase, absl::Duration>> laps;
  StepTimer timer(clock, [&laps](StepPhase phase, absl::Duration time) {
    laps.emplace_back(phase, time);
  });
  clock.now += absl::Seconds(9);
  timer.Begin();
  clock.now += absl::Seconds(2);
  timer.Lap(StepPhase::kWait);
  clock.now += absl::Seconds(3);
  timer.Lap(StepPhase::kCopy);
  EXPECT_EQ(laps, (std::vector<std::pair<StepPhase, absl::Duration>>{
                      {StepPhase::kWait, absl::Seconds(2)},
                      {StepPhase::kCopy, absl::Seconds(3)}}));
}

TEST(StepTimesTest, NoSteps) {
  EXPECT_EQ(StepTimes().mean_step(), 0);
  EXPECT_EQ(StepTimes().share(StepPhase::kWait), 0);
}

}  // namespace
}  // namespace tributary
