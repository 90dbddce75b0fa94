#include "sampler_server/service/grants/stage_times.h"

#include <gtest/gtest.h>

#include <string>

namespace tributary {
namespace {

class HandClock final : public Clock {
 public:
  absl::Time Now() const override { return now_; }
  void Pass(int ms) { now_ += absl::Milliseconds(ms); }

 private:
  absl::Time now_ = absl::UnixEpoch();
};

class StageTimesTest : public ::testing::Test {
 protected:
  // The stage lasts that long.
  void Spend(v1::Stage stage, int ms) {
    times_.Enter(stage);
    EXPECT_EQ(times_.stage(), stage);
    clock_.Pass(ms);
  }
  int64_t Ms(TimedStage stage) const {
    return absl::ToInt64Milliseconds(
        times_.Times()[static_cast<size_t>(stage)]);
  }

  HandClock clock_;
  StageTimes times_{&clock_};
};

TEST_F(StageTimesTest, EachStageHasItsTimeAndAllAddUpToTheBatchs) {
  EXPECT_EQ(times_.stage(), v1::STAGE_QUEUED);
  clock_.Pass(1);
  Spend(v1::STAGE_SAMPLING, 2);
  Spend(v1::STAGE_WAITING_FOR_PEER, 4);
  Spend(v1::STAGE_SAMPLING, 8);
  Spend(v1::STAGE_GATHERING, 16);
  Spend(v1::STAGE_WAITING_FOR_DISK, 32);
  Spend(v1::STAGE_WAITING_FOR_PEER, 64);
  Spend(v1::STAGE_SENDING, 128);
  EXPECT_EQ(Ms(TimedStage::kQueue), 1);
  EXPECT_EQ(Ms(TimedStage::kSample), 2 + 8);
  EXPECT_EQ(Ms(TimedStage::kSamplePeers), 4);
  EXPECT_EQ(Ms(TimedStage::kGather), 16);
  EXPECT_EQ(Ms(TimedStage::kGatherDisk), 32);
  EXPECT_EQ(Ms(TimedStage::kGatherPeers), 64);
  EXPECT_EQ(Ms(TimedStage::kSend), 128);
  EXPECT_EQ(Total(times_.Times()), absl::Milliseconds(255));
}

TEST_F(StageTimesTest, AStageThatIsEnteredAgainGoesOn) {
  Spend(v1::STAGE_SAMPLING, 3);
  Spend(v1::STAGE_SAMPLING, 4);
  EXPECT_EQ(Ms(TimedStage::kSample), 7);
}

TEST_F(StageTimesTest, AStageThatIsNotTimedCountsForTheOneBefore) {
  Spend(v1::STAGE_GATHERING, 3);
  Spend(v1::STAGE_WAITING_FOR_ROOM, 4);
  EXPECT_EQ(Ms(TimedStage::kGather), 7);
}

TEST(TimedStageNameTest, NamesItAsTheDocumentationDoes) {
  EXPECT_STREQ(TimedStageName(TimedStage::kQueue), "queue");
  EXPECT_STREQ(TimedStageName(TimedStage::kGatherPeers), "gather_peers");
  EXPECT_STREQ(TimedStageName(TimedStage::kSend), "send");
}

}  // namespace
}  // namespace tributary
