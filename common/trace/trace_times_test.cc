#include "common/trace/trace_times.h"

#include <cstdint>
#include <string>

#include "common/trace/testing/made_timelines.h"
#include "gtest/gtest.h"

namespace tributary {
namespace {

TEST(StageNamesTest, AreThoseOfMetrics) {
  EXPECT_STREQ(TimedStageName(TimedStage::kQueue), "queue");
  EXPECT_STREQ(TimedStageName(TimedStage::kSample), "sample");
  EXPECT_STREQ(TimedStageName(TimedStage::kSamplePeers), "sample_peers");
  EXPECT_STREQ(TimedStageName(TimedStage::kGather), "gather");
  EXPECT_STREQ(TimedStageName(TimedStage::kGatherDisk), "gather_disk");
  EXPECT_STREQ(TimedStageName(TimedStage::kGatherPeers), "gather_peers");
  EXPECT_STREQ(TimedStageName(TimedStage::kSend), "send");
}

TEST(TraceTimesTest, ReadsStagesAndCalls) {
  const BatchTimeline timeline = MadeOfThrottledPeer();
  const ServerTimes times = ReadServerTimes(*timeline.attempts[0].trace);
  EXPECT_EQ(times.of(TimedStage::kQueue), absl::Milliseconds(2));
  EXPECT_EQ(times.of(TimedStage::kSamplePeers), absl::Milliseconds(410));
  EXPECT_EQ(times.total, absl::Milliseconds(440));
  ASSERT_EQ(times.calls.size(), 2);  // the longest first
  EXPECT_EQ(times.calls[0].peer, "10.0.0.2:50051");
  EXPECT_STREQ(times.calls[0].call, "sample_hop");
  EXPECT_EQ(times.calls[0].queue, absl::Milliseconds(395));
  EXPECT_EQ(times.calls[0].work, absl::Milliseconds(10));
  EXPECT_EQ(times.calls[0].network, absl::Milliseconds(5));
  EXPECT_EQ(times.calls[1].network, absl::Milliseconds(19));
}

TEST(TraceTimesTest, APeerCannotTellMoreThanItsCall) {
  v1::BatchTrace trace;
  SetStage(TimedStage::kSamplePeers, 1, trace);
  v1::PeerCallSpan* call = trace.add_calls();
  call->set_duration_us(100);
  call->mutable_times()->set_queue_us(UINT64_MAX);
  call->mutable_times()->set_work_us(UINT64_MAX);
  const ServerTimes times = ReadServerTimes(trace);
  EXPECT_EQ(times.calls[0].queue, absl::Microseconds(100));
  EXPECT_EQ(times.calls[0].work, absl::ZeroDuration());
  EXPECT_EQ(times.calls[0].network, absl::ZeroDuration());
}

TEST(TraceTimesTest, HugeTimesAreCut) {
  v1::BatchTrace trace;
  for (int i = 0; i < 20; ++i) trace.add_stage_us(UINT64_MAX - i);
  v1::StageSpan* span = trace.add_spans();
  span->set_stage(6);
  span->set_start_us(UINT64_MAX);
  span->set_duration_us(UINT64_MAX);
  trace.add_spans()->set_stage(7);
  trace.add_spans()->set_stage(UINT32_MAX);
  const ServerTimes times = ReadServerTimes(trace);
  EXPECT_EQ(times.total, kLongestTraced);
  EXPECT_EQ(times.of(TimedStage::kQueue), kLongestTraced);
  EXPECT_EQ(times.of(TimedStage::kSend), absl::ZeroDuration());
  ASSERT_EQ(times.spans.size(), 1);
  EXPECT_EQ(times.spans[0].start, kLongestTraced);
  EXPECT_EQ(times.more_spans, 2);
}

TEST(TraceTimesTest, KeepsSoManySpans) {
  v1::BatchTrace trace;
  for (size_t i = 0; i < kMostTraced + 7; ++i) {
    trace.add_spans();
    trace.add_calls();
  }
  trace.set_more_calls(2);
  const ServerTimes times = ReadServerTimes(trace);
  EXPECT_EQ(times.spans.size(), kMostTraced);
  EXPECT_EQ(times.calls.size(), kMostTraced);
  EXPECT_EQ(times.more_spans, 7);
  EXPECT_EQ(times.more_calls, 9);
}

TEST(TraceTimesTest, AServersTimesFitTheAttempt) {
  BatchTimeline timeline = MadeOfThrottledPeer();
  const ServerTimes times =
      ReadServerTimes(*timeline.attempts[0].trace, absl::Milliseconds(220));
  EXPECT_EQ(times.total, absl::Milliseconds(220));
  EXPECT_EQ(times.of(TimedStage::kSamplePeers), absl::Milliseconds(205));
  for (const StageSpanTimes& span : times.spans) {
    EXPECT_LE(span.start + span.duration, absl::Milliseconds(220));
  }
  // 4 ms after the arrival until 220 ms, in the same proportions.
  EXPECT_EQ(times.calls[0].duration, absl::Milliseconds(216));
  EXPECT_EQ(times.calls[0].queue + times.calls[0].work + times.calls[0].disk +
                times.calls[0].network,
            absl::Milliseconds(216));
  EXPECT_GT(times.calls[0].queue, absl::Milliseconds(200));
}

TEST(TraceTimesTest, TimesBetweenInfinitiesAreZero) {
  EXPECT_EQ(TracedTime(MadeStart(), absl::InfiniteFuture()),
            absl::ZeroDuration());
  EXPECT_EQ(TracedTime(MadeStart(), MadeStart() - absl::Seconds(1)),
            absl::ZeroDuration());
  EXPECT_EQ(TracedTime(MadeStart(), MadeStart() + absl::Hours(100'000)),
            kLongestTraced);
}

TEST(TraceTimesTest, TheAnswerThatWasTakenIsTheFirstOne) {
  BatchTimeline timeline = MadeTimeline();
  BatchAttempt again = timeline.attempts[0];
  again.server = "10.0.0.2:50051";
  again.ended = timeline.ready + absl::Milliseconds(1);
  timeline.attempts.push_back(again);
  EXPECT_EQ(TakenAttempt(timeline), &timeline.attempts[0]);
}

TEST(TraceTimesTest, ABatchThatWasGivenUpIsTakenFromItsSecondAnswer) {
  BatchTimeline timeline = MadeTimeline();
  BatchAttempt again = timeline.attempts[0];
  again.asked += absl::Seconds(1);
  again.ended += absl::Seconds(1);
  timeline.ready = timeline.taken = again.ended;
  timeline.attempts.push_back(again);
  EXPECT_EQ(TakenAttempt(timeline), &timeline.attempts[1]);
}

}  // namespace
}  // namespace tributary
