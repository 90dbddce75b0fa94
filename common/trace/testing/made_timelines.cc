#include "common/trace/testing/made_timelines.h"

#include <string>

namespace tributary {
namespace {

constexpr int64_t kMilli = 1000;  // in microseconds

// Adds a stage of `ms` before the stages after it, and delays what follows.
BatchTimeline WithStage(TimedStage stage, int64_t ms) {
  BatchTimeline timeline = MadeTimeline();
  BatchAttempt& attempt = timeline.attempts.back();
  SetStage(stage, ms, *attempt.trace);
  attempt.ended += absl::Milliseconds(ms);
  timeline.ready += absl::Milliseconds(ms);
  timeline.taken += absl::Milliseconds(ms);
  return timeline;
}

v1::PeerCallSpan* AddCall(v1::BatchTrace& trace, const char* peer,
                          uint32_t partition, uint64_t ms) {
  v1::PeerCallSpan* call = trace.add_calls();
  call->set_peer(peer);
  call->set_call(v1::PeerCallSpan::CALL_SAMPLE_HOP);
  call->set_partition(partition);
  call->set_start_us(4 * kMilli);
  call->set_duration_us(ms * kMilli);
  call->set_reply_bytes(4096);
  return call;
}

}  // namespace

absl::Time MadeStart() { return absl::FromUnixSeconds(1'000'000'000); }

void SetStage(TimedStage stage, int64_t ms, v1::BatchTrace& trace) {
  while (trace.stage_us_size() < static_cast<int>(kNumTimedStages)) {
    trace.add_stage_us(0);
  }
  trace.set_stage_us(static_cast<int>(stage), ms * kMilli);
  trace.clear_spans();
  uint64_t start = 0;
  for (size_t i = 0; i < kNumTimedStages; ++i) {
    if (trace.stage_us(i) == 0) continue;
    v1::StageSpan* span = trace.add_spans();
    span->set_stage(i);
    span->set_start_us(start);
    span->set_duration_us(trace.stage_us(i));
    start += trace.stage_us(i);
  }
}

BatchTimeline MadeTimeline() {
  v1::BatchTrace trace;
  trace.set_trace_id("0123456789abcdef");
  trace.set_job("mine");
  trace.set_session(std::string(32, 's'));
  trace.set_epoch(2);
  trace.set_index(5);
  trace.set_arrived_unix_us(absl::ToUnixMicros(MadeStart()) + 3600'000'000);
  trace.set_outcome(v1::BatchTrace::OUTCOME_SENT);
  trace.set_inputs(32);
  trace.set_bytes(1'000'000);
  trace.set_cpu_us(27 * kMilli);
  SetStage(TimedStage::kQueue, 2, trace);
  SetStage(TimedStage::kSample, 18, trace);
  SetStage(TimedStage::kGather, 10, trace);

  BatchTimeline timeline;
  timeline.key.session.fill('s');
  timeline.key.epoch = 2;
  timeline.key.index = 5;
  timeline.job = "mine";
  timeline.trace_id = trace.trace_id();
  timeline.attempts.push_back({.server = "10.0.0.1:50051",
                               .asked = MadeStart(),
                               .ended = MadeStart() + absl::Milliseconds(40),
                               .trace = trace});
  timeline.ready = MadeStart() + absl::Milliseconds(40);
  timeline.taken = timeline.ready;
  timeline.bytes = 1'000'000;
  return timeline;
}

BatchTimeline MadeOfThrottledPeer() {
  BatchTimeline timeline = WithStage(TimedStage::kSamplePeers, 410);
  v1::BatchTrace& trace = *timeline.attempts.back().trace;
  AddCall(trace, "10.0.0.3:50051", 2, 20)->mutable_times()->set_work_us(1000);
  v1::PeerCallSpan* call = AddCall(trace, "10.0.0.2:50051", 1, 410);
  call->mutable_times()->set_queue_us(395 * kMilli);
  call->mutable_times()->set_work_us(10 * kMilli);
  return timeline;
}

BatchTimeline MadeOfColdDisk() {
  return WithStage(TimedStage::kGatherDisk, 300);
}

BatchTimeline MadeOfFullQueue() {
  BatchTimeline timeline = WithStage(TimedStage::kQueue, 500);
  timeline.attempts.back().trace->set_queued(37);
  timeline.attempts.back().trace->set_queued_of_job(12);
  return timeline;
}

BatchTimeline MadeOfBusyTrainer() {
  BatchTimeline timeline = MadeTimeline();
  timeline.taken += absl::Milliseconds(900);
  return timeline;
}

BatchTimeline MadeOfLostServer() {
  BatchTimeline timeline = MadeTimeline();
  const absl::Duration lost = absl::Milliseconds(250);
  timeline.attempts.back().asked += lost;
  timeline.attempts.back().ended += lost;
  timeline.ready += lost;
  timeline.taken += lost;
  BatchAttempt first{.server = "10.0.0.9:50051",
                     .asked = MadeStart(),
                     .ended = MadeStart() + lost,
                     .status = absl::UnavailableError("connection lost")};
  timeline.attempts.insert(timeline.attempts.begin(), first);
  return timeline;
}

}  // namespace tributary
