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

TEST_F(StageTimesTest, ATraceHasTheSpansOneAfterTheOther) {
  clock_.Pass(1);
  Spend(v1::STAGE_SAMPLING, 2);
  Spend(v1::STAGE_SAMPLING, 3);  // goes on
  Spend(v1::STAGE_WAITING_FOR_PEER, 4);
  Spend(v1::STAGE_GATHERING, 8);
  v1::BatchTrace trace;
  times_.FillTrace(&trace);
  ASSERT_EQ(trace.stage_us_size(), static_cast<int>(kNumTimedStages));
  EXPECT_EQ(trace.stage_us(1), 5000u);
  ASSERT_EQ(trace.spans_size(), 4);
  uint64_t end = 0;
  for (const v1::StageSpan& span : trace.spans()) {
    EXPECT_EQ(span.start_us(), end);
    end += span.duration_us();
  }
  EXPECT_EQ(end, 18000u);
  EXPECT_EQ(trace.spans(2).stage(),
            static_cast<uint32_t>(TimedStage::kSamplePeers));
  EXPECT_EQ(trace.spans(3).duration_us(), 8000u) << "it is still in it";
  EXPECT_EQ(trace.more_spans(), 0u);
}

TEST_F(StageTimesTest, OnlySoManySpansAreKeptAndTheSumsHaveAll) {
  for (int i = 0; i < 1000; ++i) {
    Spend(v1::STAGE_SAMPLING, 1);
    Spend(v1::STAGE_WAITING_FOR_PEER, 2);
  }
  v1::BatchTrace trace;
  times_.FillTrace(&trace);
  EXPECT_EQ(trace.spans_size(), static_cast<int>(StageTimes::kMaxSpans));
  EXPECT_EQ(trace.more_spans(), 2000 - StageTimes::kMaxSpans);
  EXPECT_EQ(trace.stage_us(1), 1'000'000u);
  EXPECT_EQ(trace.stage_us(2), 2'000'000u);
}

}  // namespace
}  // namespace tributary
