#include "sampler_server/service/load/busy_meter.h"

#include "common/testing/sim_scheduler.h"
#include "gtest/gtest.h"

namespace tributary {
namespace {

// What the times and the clock of the test may be apart, in minutes.
constexpr double kStep = 0.1 / 60 + 1e-6;

class BusyMeterTest : public testing::Test {
 protected:
  BusyMeterTest() { meter_->Start(); }

  // Time passes, in which each limit is in use for a share.
  void Run(absl::Duration time, double sampling, double leaf, double rate,
           double cpu = 0) {
    const absl::Duration step = absl::Milliseconds(100);
    for (absl::Duration done; done < time; done += step) {
      times_.sampling += sampling * step;
      times_.leaf += leaf * step;
      times_.rate += rate * step;
      times_.cpu += cpu * step;
      bool due = false;
      world_.Schedule(-1, world_.now() + step, [&due] { due = true; });
      world_.RunUntil([&due] { return due; }, absl::Seconds(1));
    }
  }

  SimScheduler world_{1};
  BusyTimes times_;
  std::shared_ptr<BusyMeter> meter_ = std::make_shared<BusyMeter>(
      world_.AddNode("server"), [this] { return times_; });
};

TEST_F(BusyMeterTest, TheLimitThatIsUsedMostCounts) {
  EXPECT_EQ(meter_->Ratio(), 0);
  Run(absl::Seconds(70), 0.25, 0.5, 0);
  EXPECT_NEAR(meter_->Ratio(), 0.5, kStep);  // the threads for peers
  Run(absl::Seconds(70), 0.75, 0.5, 0);
  EXPECT_NEAR(meter_->Ratio(), 0.75, kStep);  // the threads that sample
  Run(absl::Seconds(70), 0.25, 0, 1);
  EXPECT_NEAR(meter_->Ratio(), 1, kStep);  // the rate
  Run(absl::Seconds(70), 0.25, 0, 0.5, 0.875);
  EXPECT_NEAR(meter_->Ratio(), 0.875, kStep);  // sending takes CPU
  Run(absl::Seconds(70), 0, 0, 0);
  EXPECT_NEAR(meter_->Ratio(), 0, kStep);
}

TEST_F(BusyMeterTest, AMinuteGoesBySecondBySecond) {
  Run(absl::Seconds(60), 0, 0, 0);
  Run(absl::Seconds(15), 1, 0, 0);
  EXPECT_NEAR(meter_->Ratio(), 0.25, kStep);
  Run(absl::Seconds(45), 0, 0, 0);
  EXPECT_NEAR(meter_->Ratio(), 0.25, kStep);
  Run(absl::Seconds(7.5), 0, 0, 0);
  EXPECT_NEAR(meter_->Ratio(), 0.125, kStep);
}

TEST_F(BusyMeterTest, EndsWithItsOwner) {
  const std::weak_ptr<BusyMeter> weak = meter_;
  meter_.reset();
  EXPECT_TRUE(weak.expired());
  Run(absl::Seconds(3), 1, 1, 1);  // its timer finds it gone
}

}  // namespace
}  // namespace tributary
