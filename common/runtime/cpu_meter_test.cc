#include "common/runtime/cpu_meter.h"

#include <memory>

#include "common/runtime/executor.h"
#include "common/testing/sim_scheduler.h"
#include "gtest/gtest.h"

namespace tributary {
namespace {

absl::Duration fake_time;
absl::Duration FakeTime() { return fake_time; }

TEST(CpuMeterTest, CountsWhatPassesWithinItsScopes) {
  CpuMeter meter(FakeTime);
  fake_time = absl::Seconds(5);
  {
    const CpuMeter::Scope scope(&meter);
    fake_time += absl::Nanoseconds(7);
  }
  fake_time += absl::Seconds(1);  // others'
  {
    const CpuMeter::Scope scope(&meter);
    fake_time += absl::Nanoseconds(30);
  }
  EXPECT_EQ(meter.spent(), absl::Nanoseconds(37));
}

TEST(CpuMeterTest, AStrandCountsItsTasksAndNothingElse) {
  SimScheduler world(1);
  SimExecutor* node = world.AddNode("node");
  const auto meter = std::make_shared<CpuMeter>(FakeTime);
  const auto metered = std::make_shared<Strand>(node, meter);
  const auto other = std::make_shared<Strand>(node);
  for (int i = 0; i < 3; ++i) {
    metered->Post([] { fake_time += absl::Nanoseconds(10); });
    other->Post([] { fake_time += absl::Nanoseconds(1000); });
  }
  EXPECT_TRUE(world.Drain(100));
  EXPECT_EQ(meter->spent(), absl::Nanoseconds(30));
}

TEST(CpuMeterTest, AThreadThatComputesSpendsTime) {
  const absl::Duration before = ThreadCpuTime();
  volatile uint64_t sum = 0;
  while (ThreadCpuTime() - before < absl::Milliseconds(1)) sum = sum + 1;
  EXPECT_GT(sum, 0u);
}

}  // namespace
}  // namespace tributary
