#include "common/trace/bottleneck.h"

#include <set>
#include <string>

#include "common/trace/testing/made_timelines.h"
#include "gtest/gtest.h"

namespace tributary {
namespace {

TEST(BottleneckTest, ThrottledPeer) {
  const Finding found = FindBottleneck(MadeOfThrottledPeer());
  EXPECT_EQ(found.bottleneck, Bottleneck::kPeerQueue);
  EXPECT_EQ(found.server, "10.0.0.1:50051");
  EXPECT_EQ(found.peer, "10.0.0.2:50051");
  EXPECT_STREQ(found.call, "sample_hop");
  EXPECT_EQ(found.partition, 1);
  EXPECT_EQ(found.most, absl::Milliseconds(410));
  EXPECT_EQ(found.total, absl::Milliseconds(450));
  EXPECT_EQ(found.part, absl::Milliseconds(395));
}

TEST(BottleneckTest, EachPartOfAPeersTime) {
  BatchTimeline timeline = MadeOfThrottledPeer();
  v1::BatchTrace& trace = *timeline.attempts[0].trace;
  v1::LeafTimes& times = *trace.mutable_calls(1)->mutable_times();
  times.set_queue_us(0);
  times.set_work_us(300'000);
  EXPECT_EQ(FindBottleneck(timeline).bottleneck, Bottleneck::kPeerWork);
  times.set_work_us(0);
  times.set_disk_us(300'000);
  EXPECT_EQ(FindBottleneck(timeline).bottleneck, Bottleneck::kPeerDisk);
  times.set_disk_us(0);
  EXPECT_EQ(FindBottleneck(timeline).bottleneck, Bottleneck::kPeerNetwork);
  trace.clear_calls();
  const Finding found = FindBottleneck(timeline);
  EXPECT_EQ(found.bottleneck, Bottleneck::kPeers);
  EXPECT_EQ(found.most, absl::Milliseconds(410));
}

// Three short calls in turn outweigh a longer one; calls beside each other
// count once.
TEST(BottleneckTest, APeersCallsAreTakenTogether) {
  v1::BatchTrace trace;
  SetStage(TimedStage::kGatherPeers, 100, trace);
  const auto add = [&trace](const char* peer, uint64_t start, uint64_t end) {
    v1::PeerCallSpan* call = trace.add_calls();
    call->set_peer(peer);
    call->set_start_us(start * 1000);
    call->set_duration_us((end - start) * 1000);
  };
  for (uint64_t at : {0, 30, 60}) add("many", at, at + 30);
  for (int i = 0; i < 4; ++i) add("wide", 0, 50);
  Finding found = FindBottleneck("s:1", trace);
  EXPECT_EQ(found.peer, "many");
  EXPECT_EQ(found.most, absl::Milliseconds(90));
  EXPECT_EQ(found.part, absl::Milliseconds(90));
  EXPECT_EQ(found.total, absl::Milliseconds(100));
}

TEST(BottleneckTest, ColdDisk) {
  const Finding found = FindBottleneck(MadeOfColdDisk());
  EXPECT_EQ(found.bottleneck, Bottleneck::kDisk);
  EXPECT_EQ(found.most, absl::Milliseconds(300));
}

TEST(BottleneckTest, FullQueue) {
  const Finding found = FindBottleneck(MadeOfFullQueue());
  EXPECT_EQ(found.bottleneck, Bottleneck::kQueue);
  EXPECT_EQ(found.most, absl::Milliseconds(500));
}

TEST(BottleneckTest, BusyTrainer) {
  BatchTimeline timeline = MadeOfBusyTrainer();
  const Finding found = FindBottleneck(timeline);
  EXPECT_EQ(found.bottleneck, Bottleneck::kTrainer);
  EXPECT_EQ(found.most, absl::Milliseconds(900));
  EXPECT_EQ(found.total, absl::Milliseconds(940));
  timeline.behind = absl::Milliseconds(800);
  EXPECT_EQ(FindBottleneck(timeline).bottleneck, Bottleneck::kEarlierBatch);
  timeline.behind = absl::Hours(1);
  EXPECT_EQ(FindBottleneck(timeline).most, absl::Milliseconds(900));
}

TEST(BottleneckTest, LostServer) {
  BatchTimeline timeline = MadeOfLostServer();
  EXPECT_EQ(FindBottleneck(timeline).bottleneck, Bottleneck::kRetried);
  EXPECT_EQ(FindBottleneck(timeline).most, absl::Milliseconds(250));
  timeline.attempts.pop_back();
  EXPECT_EQ(FindBottleneck(timeline).bottleneck, Bottleneck::kFailed);
  EXPECT_EQ(FindBottleneck(timeline).server, "10.0.0.9:50051");
}

TEST(BottleneckTest, NetworkIsTheRest) {
  BatchTimeline timeline = MadeTimeline();
  timeline.ready += absl::Milliseconds(100);
  timeline.taken = timeline.ready;
  const Finding found = FindBottleneck(timeline);
  EXPECT_EQ(found.bottleneck, Bottleneck::kNetwork);
  EXPECT_EQ(found.most, absl::Milliseconds(110));
}

TEST(BottleneckTest, StagesOfAServer) {
  const std::pair<TimedStage, Bottleneck> cases[] = {
      {TimedStage::kQueue, Bottleneck::kQueue},
      {TimedStage::kSample, Bottleneck::kSample},
      {TimedStage::kSamplePeers, Bottleneck::kPeers},
      {TimedStage::kGather, Bottleneck::kGather},
      {TimedStage::kGatherDisk, Bottleneck::kDisk},
      {TimedStage::kGatherPeers, Bottleneck::kPeers},
      {TimedStage::kSend, Bottleneck::kSend}};
  for (const auto& [stage, bottleneck] : cases) {
    v1::BatchTrace trace = *MadeTimeline().attempts[0].trace;
    SetStage(stage, 1000, trace);
    EXPECT_EQ(FindBottleneck("s:1", trace).bottleneck, bottleneck)
        << TimedStageName(stage);
  }
}

TEST(BottleneckTest, AnOlderServerIsNotKnown) {
  BatchTimeline timeline = MadeTimeline();
  timeline.attempts[0].trace.reset();
  EXPECT_EQ(FindBottleneck(timeline).bottleneck, Bottleneck::kUnknown);
  EXPECT_EQ(FindBottleneck(timeline).most, absl::Milliseconds(40));
  EXPECT_EQ(FindBottleneck("s:1", {}).bottleneck, Bottleneck::kUnknown);
  EXPECT_EQ(FindBottleneck(BatchTimeline{}).bottleneck, Bottleneck::kFailed);
}

TEST(BottleneckTest, NamesDiffer) {
  std::set<std::string> names;
  for (int i = 0; i <= static_cast<int>(Bottleneck::kFailed); ++i) {
    names.insert(BottleneckName(static_cast<Bottleneck>(i)));
  }
  EXPECT_EQ(names.size(), static_cast<int>(Bottleneck::kFailed) + 1);
}

}  // namespace
}  // namespace tributary
