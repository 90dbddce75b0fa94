#include "trainer_client/core/waiting_next.h"

#include <gtest/gtest.h>

#include <vector>

#include "common/testing/sim_scheduler.h"

namespace tributary {
namespace {

class WaitingNextTest : public testing::Test {
 protected:
  void Wait() {
    next_.Wait(
        [this](WaitingNext::Result result) {
          results_.push_back(result.status());
        },
        absl::Seconds(5),
        [this](uint64_t call) {
          if (next_.IsWaiting(call)) {
            next_.Answer(absl::DeadlineExceededError("late"));
          }
        });
  }
  void Run(absl::Duration time) {
    bool due = false;
    world_.Schedule(-1, world_.now() + time, [&due] { due = true; });
    world_.RunUntil([&due] { return due; }, time + absl::Seconds(1));
  }

  SimScheduler world_{1};
  WaitingNext next_{std::make_shared<Strand>(world_.AddNode("trainer"))};
  std::vector<absl::Status> results_;
};

TEST_F(WaitingNextTest, AnAnswerEndsTheWait) {
  EXPECT_FALSE(next_.waiting());
  Wait();
  EXPECT_TRUE(next_.waiting());
  Run(absl::Seconds(2));
  next_.Answer(std::nullopt);
  EXPECT_FALSE(next_.waiting());
  EXPECT_EQ(next_.waited(), absl::Seconds(2));
  Run(absl::Seconds(10));
  EXPECT_EQ(results_, std::vector<absl::Status>{absl::OkStatus()});
}

TEST_F(WaitingNextTest, ADeadlineEndsOnlyItsOwnCall) {
  Wait();
  EXPECT_TRUE(next_.IsWaiting(1));
  Run(absl::Seconds(4));
  next_.Answer(std::nullopt);
  Wait();
  EXPECT_FALSE(next_.IsWaiting(1));
  EXPECT_TRUE(next_.IsWaiting(2));
  Run(absl::Seconds(4));
  EXPECT_TRUE(next_.waiting());
  Run(absl::Seconds(2));
  EXPECT_FALSE(next_.waiting());
  ASSERT_EQ(results_.size(), 2);
  EXPECT_EQ(results_[1], absl::DeadlineExceededError("late"));
  EXPECT_GE(next_.waited(), absl::Seconds(9));  // 4 and 5
  EXPECT_LT(next_.waited(), absl::Seconds(9.001));
}

TEST_F(WaitingNextTest, TheWaitRatioIsThatOfTheLastMinute) {
  EXPECT_EQ(next_.wait_ratio(), 0);
  Wait();
  Run(absl::Seconds(3));
  EXPECT_NEAR(next_.wait_ratio(), 1, 1e-3);  // it still waits
  EXPECT_NEAR(next_.minute_wait_ratio(), 0.05, 1e-3);
  next_.Answer(std::nullopt);
  Run(absl::Seconds(9));
  EXPECT_NEAR(next_.wait_ratio(), 0.25, 1e-3);
  Wait();
  Run(absl::Seconds(3));
  next_.Answer(std::nullopt);
  EXPECT_NEAR(next_.wait_ratio(), 0.4, 1e-3);  // 6 of 15
  Run(absl::Seconds(70));
  EXPECT_EQ(next_.wait_ratio(), 0);
  EXPECT_GE(next_.waited(), absl::Seconds(6));
}

}  // namespace
}  // namespace tributary
