#include "common/trace/explain.h"

#include <cstdint>
#include <string>

#include "absl/strings/str_join.h"
#include "common/trace/testing/made_timelines.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace tributary {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

TEST(ExplainTest, TheWholeTable) {
  EXPECT_THAT(
      ExplainTimeline(MadeOfThrottledPeer()),
      ElementsAre(
          "batch 2/5 of job mine: 450 ms, 1000000 bytes, trace "
          "30313233343536373839616263646566",
          "attempt 1: 10.0.0.1:50051, asked at 0.0 ms, 450 ms, made",
          "  stage                 ms   share",
          "  queue                2.0     0 %",
          "  sample              18.0     4 %  #",
          "  sample_peers         410    91 %  ##################",
          "  gather              10.0     2 %",
          "  gather_disk          0.0     0 %",
          "  gather_peers         0.0     0 %",
          "  send                 0.0     0 %",
          "  network             10.0     2 %                       between "
          "server and trainer, and copying",
          "  peer (longest calls first)   call       part        ms    queue   "
          "  "
          "work     disk  network",
          "  10.0.0.2:50051               sample_hop    1       410      395   "
          "  "
          "10.0      0.0      5.0",
          "  10.0.0.3:50051               sample_hop    2      20.0      0.0   "
          "  "
          " 1.0      0.0     19.0",
          "ready: 0.0 ms until the trainer took it, 0.0 ms of them behind "
          "earlier batches",
          "Most of it: 410 of 450 ms waiting for 10.0.0.2:50051 (partition 1, "
          "sample_hop), of which 395 ms in that server's queue: it has too few "
          "threads for its peers' requests, or is throttled"));
}

TEST(ExplainTest, ColdDisk) {
  EXPECT_EQ(Explanation(MadeOfColdDisk()),
            "Most of it: 300 of 340 ms in gather_disk on 10.0.0.1:50051: rows "
            "were read from files that are not in memory; raise "
            "--feature-readers, or give the server more memory or a faster "
            "disk (docs/larger-than-memory.md)");
}

TEST(ExplainTest, FullQueue) {
  const BatchTimeline timeline = MadeOfFullQueue();
  EXPECT_EQ(Explanation(timeline),
            "Most of it: 500 of 540 ms in the queue of 10.0.0.1:50051 behind "
            "37 batches (12 of this job): the fleet is too small, or another "
            "job uses it (docs/scaling.md, --job-weights)");
  EXPECT_THAT(ExplainTimeline(timeline),
              testing::Contains("  queue                500    93 %  "
                                "###################  behind 37 batches, 12 of "
                                "this job"));
}

TEST(ExplainTest, AQueueOfNone) {
  BatchTimeline timeline = MadeOfFullQueue();
  timeline.attempts[0].trace->set_queued(0);
  EXPECT_THAT(Explanation(timeline), HasSubstr("with no batch before it"));
}

TEST(ExplainTest, BusyTrainer) {
  BatchTimeline timeline = MadeOfBusyTrainer();
  EXPECT_EQ(Explanation(timeline),
            "Most of it: 900 of 940 ms waiting for the trainer to take it: the "
            "trainer is busy; servers are not what it waits for");
  timeline.behind = absl::Milliseconds(850);
  EXPECT_EQ(Explanation(timeline),
            "Most of it: 850 of 940 ms waiting for batches before it, which "
            "are delivered first: look at their traces");
}

TEST(ExplainTest, LostServer) {
  BatchTimeline timeline = MadeOfLostServer();
  EXPECT_EQ(Explanation(timeline),
            "Most of it: 250 of 290 ms at 10.0.0.9:50051, until 10.0.0.1:50051 "
            "was asked: UNAVAILABLE: connection lost");
  EXPECT_THAT(absl::StrJoin(ExplainTimeline(timeline), "\n"),
              HasSubstr("\nattempt 2: 10.0.0.1:50051, asked at 250 ms, 40.0 "
                        "ms, made\n"));
  timeline.attempts[0].status = absl::OkStatus();
  timeline.attempts[0].ended = absl::InfiniteFuture();
  EXPECT_THAT(Explanation(timeline), HasSubstr("which was late"));
  timeline.attempts[0].status = absl::CancelledError("returned");
  EXPECT_THAT(Explanation(timeline), HasSubstr("which was late"));
  timeline.attempts[0].status = absl::OkStatus();
  timeline.attempts.pop_back();
  EXPECT_EQ(Explanation(timeline),
            "No server made it in 290 ms, the last was 10.0.0.9:50051");
}

TEST(ExplainTest, ALargerBatchThanItsRoom) {
  BatchTimeline timeline = MadeOfLostServer();
  timeline.attempts[0].trace.emplace().set_outcome(
      v1::BatchTrace::OUTCOME_NEEDS);
  EXPECT_THAT(Explanation(timeline),
              HasSubstr("at 10.0.0.9:50051, where it was larger than the room "
                        "that was reserved for it, until"));
}

TEST(ExplainTest, ThreadsWithoutCpu) {
  BatchTimeline timeline = MadeTimeline();
  v1::BatchTrace& trace = *timeline.attempts[0].trace;
  EXPECT_THAT(Explanation(timeline),
              HasSubstr("drawing neighbours on 10.0.0.1:50051: ask for fewer"));
  trace.set_cpu_us(10'000);  // more than half of the 18 ms
  EXPECT_THAT(Explanation(timeline), HasSubstr(": ask for fewer"));
  trace.set_cpu_us(5000);
  EXPECT_THAT(Explanation(timeline),
              HasSubstr("its threads had a CPU for 5.0 ms only"));
  SetStage(TimedStage::kGather, 19, trace);
  EXPECT_THAT(Explanation(timeline), HasSubstr("copying rows"));
}

TEST(ExplainTest, AServersOwnRecord) {
  v1::BatchTrace trace = *MadeOfThrottledPeer().attempts[0].trace;
  trace.mutable_calls(1)->set_code(14);
  const std::string text =
      absl::StrJoin(ExplainTrace("10.0.0.1:50051", trace), "\n");
  EXPECT_THAT(text, HasSubstr("10.0.0.1:50051: batch 2/5 of job mine, 440 ms, "
                              "1000000 bytes\n  arrived "
                              "2001-09-09T02:46:40.000Z, sent\n"));
  EXPECT_THAT(text, HasSubstr("    failed: UNAVAILABLE\n"));
  EXPECT_THAT(text, HasSubstr("\nMost of it: 410 of 440 ms waiting for "
                              "10.0.0.2:50051 (partition 1, sample_hop)"));
  EXPECT_THAT(text, Not(HasSubstr("network  ")));
  trace.set_outcome(v1::BatchTrace::OUTCOME_FAILED);
  trace.set_error("no owner");
  EXPECT_EQ(Explanation("s:1", trace), "It failed after 440 ms: no owner");
  EXPECT_EQ(Explanation("s:1", v1::BatchTrace()),
            "There are no times of it yet");
}

TEST(ExplainTest, AnOlderServer) {
  BatchTimeline timeline = MadeTimeline();
  timeline.attempts[0].trace.reset();
  EXPECT_EQ(Explanation(timeline),
            "Most of it: 40.0 of 40.0 ms on 10.0.0.1:50051, which does not "
            "tell: it is of an older release");
}

// A server whose every field is as bad as the protocol lets it be.
v1::BatchTrace Hostile() {
  const std::string text = "\x1b[2J\n\xff\xe2\x80\xae" + std::string(5000, 'x');
  v1::BatchTrace trace;
  trace.set_job(text);
  trace.set_error(text);
  trace.set_outcome(v1::BatchTrace::OUTCOME_FAILED);
  trace.set_bytes(UINT64_MAX);
  trace.set_cpu_us(UINT64_MAX);
  trace.set_queued(UINT32_MAX);
  trace.set_queued_of_job(UINT32_MAX);
  for (int i = 0; i < 100; ++i) trace.add_stage_us(UINT64_MAX);
  trace.set_more_calls(UINT32_MAX);
  for (int i = 0; i < 3000; ++i) {
    v1::StageSpan* span = trace.add_spans();
    span->set_stage(UINT32_MAX - i);
    v1::PeerCallSpan* call = trace.add_calls();
    call->set_peer(text);
    call->set_partition(UINT32_MAX);
    call->set_start_us(UINT64_MAX);
    call->set_duration_us(UINT64_MAX);
    call->set_code(INT32_MIN + i);
    call->mutable_times()->set_queue_us(UINT64_MAX);
    call->mutable_times()->set_disk_us(UINT64_MAX);
  }
  return trace;
}

TEST(ExplainTest, HostileServers) {
  BatchTimeline timeline = MadeTimeline();
  timeline.job = "a\nb";
  for (const bool failed : {false, true}) {
    v1::BatchTrace trace = Hostile();
    if (!failed) trace.set_outcome(v1::BatchTrace::OUTCOME_SENT);
    timeline.attempts[0].trace = trace;
    for (const auto& lines :
         {ExplainTrace("\x1b[2J\n", trace), ExplainTimeline(timeline)}) {
      EXPECT_LT(lines.size(), 40);
      for (const std::string& line : lines) {
        EXPECT_EQ(line.find_first_of("\n\x1b\xff"), std::string::npos) << line;
        if (&line != &lines.back()) {
          EXPECT_LE(line.size(), 100) << line;
        }
        EXPECT_LE(line.size(), 2000);
      }
    }
  }
}

}  // namespace
}  // namespace tributary
