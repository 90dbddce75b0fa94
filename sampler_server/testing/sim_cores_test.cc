#include "sampler_server/testing/sim_cores.h"

#include <gtest/gtest.h>

#include <memory>
#include <vector>

#include "common/runtime/cpu_meter.h"
#include "common/testing/sim_scheduler.h"

namespace tributary {
namespace {

class SimCoresTest : public ::testing::Test {
 protected:
  // Posts `count` tasks, each on a strand of its own, and returns when each
  // ran, after the first.
  std::vector<absl::Duration> RunAll(SimCores& cores, int count,
                                     std::shared_ptr<CpuMeter> meter) {
    std::vector<absl::Time> ran;
    std::vector<std::shared_ptr<Strand>> strands;
    for (int i = 0; i < count; ++i) {
      strands.push_back(std::make_shared<Strand>(&cores, meter));
      strands.back()->Post([&] { ran.push_back(world_.now()); });
    }
    EXPECT_TRUE(world_.Drain(1000));
    std::vector<absl::Duration> after;
    for (const absl::Time at : ran) after.push_back(at - ran.front());
    return after;
  }

  SimScheduler world_{1};
  SimExecutor* const node_ = world_.AddNode("server");
};

TEST_F(SimCoresTest, MeasuredTasksWaitForACore) {
  SimCores cores(node_, 2);
  const auto meter = std::make_shared<CpuMeter>(SimCores::CpuClock);
  const auto ran = RunAll(cores, 8, meter);
  ASSERT_EQ(ran.size(), 8u);
  EXPECT_EQ(meter->spent(), 8 * SimCores::kTaskCpu);
  for (size_t i = 0; i < ran.size(); ++i) {
    EXPECT_GE(ran[i], static_cast<double>(i / 2) * SimCores::kTaskCpu) << i;
    // They were posted within this.
    EXPECT_LE(ran[i], static_cast<double>(i / 2) * SimCores::kTaskCpu +
                          absl::Microseconds(20))
        << i;
  }
}

TEST_F(SimCoresTest, OtherTasksCostNothing) {
  SimCores cores(node_, 1);
  for (const absl::Duration after : RunAll(cores, 8, nullptr)) {
    EXPECT_LE(after, absl::Microseconds(20));
  }
}

TEST_F(SimCoresTest, AMeterSaysHowLongTasksTake) {
  absl::Duration spent;
  SimCores cores(node_, 1, [&] { return spent; });
  std::vector<absl::Time> ran;
  for (int i = 0; i < 3; ++i) {
    cores.Post([&] {
      ran.push_back(world_.now());
      spent += absl::Milliseconds(5);
    });
  }
  EXPECT_TRUE(world_.Drain(1000));
  ASSERT_EQ(ran.size(), 3u);
  EXPECT_GE(ran[2] - ran[0], absl::Milliseconds(10));
  EXPECT_LE(ran[2] - ran[0], absl::Milliseconds(11));
}

}  // namespace
}  // namespace tributary
