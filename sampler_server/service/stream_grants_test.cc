#include "sampler_server/service/stream_grants.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/time/clock.h"
#include "common/batch/batch_view.h"
#include "common/io/buffer.h"
#include "common/observe/log_format.h"
#include "common/observe/log_sink.h"
#include "common/observe/metrics.h"
#include "common/testing/sim_scheduler.h"
#include "sampler_server/service/grants/credit_check.h"
#include "sampler_server/testing/fleet_fixture.h"
#include "sampler_server/testing/scripted_trainer.h"

namespace tributary {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr size_t kBudget = 1 << 20;

// Keeps what is sent; its payloads are not taken until cleared.
class FakeStream final : public Stream {
 public:
  absl::Status Send(OutgoingMessage message) override {
    sent.push_back(std::move(message));
    return absl::OkStatus();
  }
  size_t queued_bytes() const override { return 0; }
  void Close(absl::Status) override {}

  std::vector<std::string> kinds() const {
    std::vector<std::string> kinds;
    for (const auto& message : sent) {
      kinds.push_back(MessageKindName(message.kind));
    }
    return kinds;
  }

  std::vector<OutgoingMessage> sent;
};

class Slot final : public SharedRoom {
 public:
  absl::Span<uint8_t> bytes() override { return buffer.span(); }
  AlignedBuffer buffer{4096};
};

class StreamGrantsTest : public ::testing::Test {
 protected:
  StreamGrantsTest() { Start({}); }

  void Start(const AdmissionLimits& limits,
             const FrameSenderOptions& frames = {}) {
    core_ = std::make_shared<ServiceCore>(16);
    core_->executor = core_->protocol_executor = executor_;
    core_->budget = ByteBudget::Create("--memory-budget", kBudget);
    core_->admission =
        std::make_shared<Admission>(limits, core_->budget, executor_);
    graph_ = std::make_shared<HeldGraph>(ServedGraph{VectorGraph(1)});
    EXPECT_TRUE(core_->graphs.Add(graph_).ok());
    UseInputs({0, 3, 1, 6});
    stream_ = std::make_shared<FakeStream>();
    answers_ = std::make_shared<AnswerSender>(stream_, executor_, frames);
    grants_ = std::make_shared<StreamGrants>(
        core_, 1, MakeCaller("trainer:1"), std::make_shared<Strand>(executor_),
        answers_);
  }
  void UseInputs(std::vector<int64_t> inputs) {
    session_ = SessionOf(std::move(inputs));
    plan_ = PlanSession(
                [this](const std::string&) {
                  return absl::StatusOr<std::shared_ptr<HeldGraph>>(graph_);
                },
                session_.spec)
                ->plan;
  }
  TrainerSession SessionOf(std::vector<int64_t> inputs) const {
    SpecOptions options;
    options.num_neighbors = {2, 2};
    options.batch_size = 3;
    options.random_seed = 7;
    return MakeSession(graph_->schema(), options, std::move(inputs));
  }
  // None starts.
  void StartWithoutTurns() {
    AdmissionLimits limits;
    limits.running = 0;
    Start(limits);
  }

  void Admit(uint64_t index, std::shared_ptr<SharedRoom> lent = nullptr,
             uint64_t max_bytes = 4096) {
    AdmitOf(session_, index, std::move(lent), max_bytes);
  }
  void AdmitOf(const TrainerSession& session, uint64_t index,
               std::shared_ptr<SharedRoom> lent, uint64_t max_bytes) {
    const v1::Credit credit =
        ScriptedTrainer::MakeCredit(session, index, max_bytes, 10000);
    auto request = MakeBatchRequest(credit, {}, plan_, 0, executor_->Now());
    ASSERT_TRUE(request.ok()) << request.status();
    grants_->Admit(index, {"job", *std::move(request), std::move(lent), graph_,
                           trace_id_});
  }
  // Returns the only trace that is kept of the batch.
  v1::BatchTrace Recorded(uint64_t index) const {
    const auto found = core_->recent_batches.Find("job", 0, index);
    EXPECT_EQ(found.size(), 1u);
    return found.empty() ? v1::BatchTrace() : found[0];
  }
  void Run() { EXPECT_TRUE(world_.Drain(100000)); }
  void RunFor(absl::Duration time) {
    bool over = false;
    world_.Schedule(-1, world_.now() + time, [&over] { over = true; });
    world_.RunUntil([&over] { return over; }, time + absl::Seconds(1));
  }
  v1::BatchError LastError() const {
    v1::BatchError error;
    EXPECT_TRUE(error.ParseFromString(stream_->sent.back().header));
    return error;
  }
  // Nothing is held for any grant.
  void ExpectIdle() {
    EXPECT_TRUE(grants_->empty());
    EXPECT_EQ(core_->budget->used(), 0u);
    EXPECT_EQ(core_->admission->num_running(), 0);
    EXPECT_EQ(core_->admission->num_queued(), 0u);
    EXPECT_THAT(core_->admission->Jobs(), IsEmpty());
    EXPECT_EQ(core_->activity->count(), 0u);
    EXPECT_EQ(graph_->activity->count(), 0u);
  }

  SimScheduler world_{1};
  SimExecutor* const executor_ = world_.AddNode("server");
  std::shared_ptr<ServiceCore> core_;
  std::shared_ptr<HeldGraph> graph_;
  TrainerSession session_;
  std::string trace_id_;  // of the credits that are admitted
  std::shared_ptr<const SamplingPlan> plan_;
  std::shared_ptr<FakeStream> stream_;
  std::shared_ptr<AnswerSender> answers_;
  std::shared_ptr<StreamGrants> grants_;
};

TEST_F(StreamGrantsTest, ABatchIsMadeInTheSlotThatWasLent) {
  auto slot = std::make_shared<Slot>();
  Admit(0, slot);
  EXPECT_TRUE(grants_->Contains(0));
  EXPECT_THAT(grants_->Progress().stage(), ElementsAre(v1::STAGE_QUEUED));
  EXPECT_EQ(core_->activity->count(), 1u);
  Run();
  ASSERT_THAT(stream_->kinds(), ElementsAre("Ready"));
  EXPECT_EQ(stream_->sent[0].room, slot);
  v1::Ready ready;
  ASSERT_TRUE(ready.ParseFromString(stream_->sent[0].header));
  const auto view = BatchView::Parse(slot->buffer.span().first(ready.total()));
  ASSERT_TRUE(view.ok()) << view.status();
  EXPECT_EQ(absl::StrCat("ready ", ToHex(view->Digest())), kBatch0);
  ExpectIdle();
}

TEST_F(StreamGrantsTest, WithoutASlotABatchIsHeldUntilItsFramesAreTaken) {
  Admit(0);
  Run();
  ASSERT_THAT(stream_->kinds(), ElementsAre("Frame"));
  EXPECT_THAT(grants_->Progress().stage(), ElementsAre(v1::STAGE_SENDING));
  EXPECT_EQ(core_->admission->num_running(), 0);
  EXPECT_EQ(core_->budget->used(), stream_->sent[0].payload.size());
  EXPECT_EQ(core_->activity->count(), 1u);
  stream_->sent.clear();
  Run();
  ExpectIdle();
}

TEST_F(StreamGrantsTest, ATooSmallCreditIsToldWhatItNeeds) {
  Admit(0, nullptr, 64);
  Run();
  ASSERT_THAT(stream_->kinds(), ElementsAre("Needs"));
  v1::Needs needs;
  ASSERT_TRUE(needs.ParseFromString(stream_->sent[0].header));
  EXPECT_GT(needs.bytes(), 64u);
  ExpectIdle();
}

TEST_F(StreamGrantsTest, ACancelInTheQueueIsReturnedAtOnce) {
  StartWithoutTurns();
  Admit(0);
  EXPECT_EQ(core_->admission->num_queued(), 1u);
  grants_->Cancel(0);
  EXPECT_THAT(stream_->kinds(), ElementsAre("Returned"));
  ExpectIdle();
  Run();  // its timeout does not refuse it as well
  EXPECT_THAT(stream_->kinds(), ElementsAre("Returned"));
}

TEST_F(StreamGrantsTest, ACancelOfARunningTaskIsReturnedAfterIt) {
  Admit(0, std::make_shared<Slot>());
  EXPECT_TRUE(world_.RunUntil(
      [&] { return grants_->Progress().stage(0) == v1::STAGE_SAMPLING; },
      absl::Seconds(1)));
  grants_->Cancel(0);
  EXPECT_THAT(stream_->kinds(), IsEmpty());
  EXPECT_THAT(grants_->Progress().grant(), ElementsAre(0));
  grants_->Cancel(0);  // changes nothing
  Run();
  EXPECT_THAT(stream_->kinds(), ElementsAre("Returned"));
  ExpectIdle();
}

TEST_F(StreamGrantsTest, ACancelAfterTheBatchIsReturnedAndItsFramesDropped) {
  Admit(0);
  Run();
  grants_->Cancel(0);
  EXPECT_THAT(stream_->kinds(), ElementsAre("Frame", "Returned"));
  EXPECT_THAT(grants_->Progress().grant(), IsEmpty());
  stream_->sent.clear();
  Run();
  ExpectIdle();
}

TEST_F(StreamGrantsTest, ACancelledBatchSendsNoMoreOfItsFrames) {
  Start({}, {.frame_bytes = 64, .window_bytes = 64});
  Admit(0);
  Run();
  ASSERT_THAT(stream_->kinds(), ElementsAre("Frame"));
  grants_->Cancel(0);
  stream_->sent.clear();
  Run();
  EXPECT_THAT(stream_->kinds(), IsEmpty());
  ExpectIdle();
}

TEST_F(StreamGrantsTest, AGrantThatIsNotKnownIsReturned) {
  grants_->Cancel(5);
  EXPECT_THAT(stream_->kinds(), ElementsAre("Returned"));
}

TEST_F(StreamGrantsTest, ACreditThatHasNoTurnInTimeIsRefused) {
  StartWithoutTurns();
  const absl::Time from = executor_->Now();
  Admit(0);
  Run();
  ASSERT_THAT(stream_->kinds(), ElementsAre("BatchError"));
  EXPECT_GE(executor_->Now() - from, absl::Seconds(10));
  EXPECT_LT(executor_->Now() - from, absl::Milliseconds(10001));
  EXPECT_EQ(LastError().code(),
            static_cast<int>(absl::StatusCode::kDeadlineExceeded));
  EXPECT_TRUE(LastError().retryable());
  ExpectIdle();
}

// The number may be used again once its grant has been returned.
TEST_F(StreamGrantsTest, AnEarlierCreditsTimeoutIsNotThatOfALaterOne) {
  StartWithoutTurns();
  Admit(0);
  RunFor(absl::Seconds(6));
  grants_->Cancel(0);
  Admit(0);
  RunFor(absl::Seconds(6));
  EXPECT_THAT(stream_->kinds(), ElementsAre("Returned"));
  RunFor(absl::Seconds(6));
  EXPECT_THAT(stream_->kinds(), ElementsAre("Returned", "BatchError"));
  ExpectIdle();
}

TEST_F(StreamGrantsTest, ABatchThatNeverFitsTheBudgetIsRefused) {
  Admit(0, nullptr, kBudget);  // a task may hold twice as much
  ASSERT_THAT(stream_->kinds(), ElementsAre("BatchError"));
  EXPECT_EQ(LastError().code(),
            static_cast<int>(absl::StatusCode::kInvalidArgument));
  EXPECT_THAT(LastError().message(), HasSubstr("--memory-budget"));
  EXPECT_FALSE(LastError().retryable());
  ExpectIdle();
}

TEST_F(StreamGrantsTest, WhenTheStreamClosesAllIsReleasedAndNothingAnswered) {
  AdmissionLimits limits;
  limits.running = 1;
  Start(limits);
  Admit(0);
  Admit(1);
  EXPECT_TRUE(world_.RunUntil(
      [&] { return grants_->Progress().stage(0) == v1::STAGE_SAMPLING; },
      absl::Seconds(1)));
  answers_->Stop();
  grants_->CancelAll();
  EXPECT_TRUE(grants_->Contains(0));   // until its task is over
  EXPECT_FALSE(grants_->Contains(1));  // was queued
  Run();
  EXPECT_THAT(stream_->kinds(), IsEmpty());
  ExpectIdle();
}

TEST_F(StreamGrantsTest, IsStalledWhenOthersWaitForTheMemoryOfUntakenFrames) {
  Admit(0);
  Run();
  ASSERT_THAT(stream_->kinds(), ElementsAre("Frame"));
  RunFor(absl::Seconds(3));
  EXPECT_EQ(grants_->PollStall(), std::nullopt);
  Admission::Batch other;
  other.job = "other";
  other.stream = 2;
  other.reserve_bytes = kBudget;
  bool started = false;
  other.start = [&started](Reservation) { started = true; };
  ASSERT_TRUE(core_->admission->Enqueue(std::move(other)).ok());
  RunFor(absl::Seconds(1));
  const auto stalled = grants_->PollStall();
  ASSERT_TRUE(stalled.has_value());
  EXPECT_GE(*stalled, absl::Seconds(4));
  stream_->sent.clear();
  Run();
  EXPECT_TRUE(started);
  EXPECT_EQ(grants_->PollStall(), std::nullopt);
}

// What the log says of batches, at debug, and the histograms of their stages.
class BatchStagesTest : public StreamGrantsTest {
 protected:
  BatchStagesTest() {
    core_->metrics = ServiceMetrics(metrics_);
    SetLogLevel(LogLevel::kDebug);
    SetLogSink(
        [this](LogLevel, std::string_view text) { lines_.emplace_back(text); });
  }
  ~BatchStagesTest() override {
    core_->metrics = {};
    SetLogSink(nullptr);
    SetLogLevel(LogLevel::kInfo);
  }

  // Returns the fields of the only line that begins with `event`.
  std::map<std::string, std::string> FieldsOf(const std::string& event) const {
    std::map<std::string, std::string> fields;
    int found = 0;
    for (const std::string& line : lines_) {
      if (!absl::StartsWith(line, event)) continue;
      ++found;
      for (absl::string_view word : absl::StrSplit(line, ' ')) {
        fields.insert(absl::StrSplit(word, absl::MaxSplits('=', 1)));
      }
    }
    EXPECT_EQ(found, 1);
    return fields;
  }
  // Returns the time of the only batch that was sent, by stage.
  std::map<std::string, absl::Duration> StagesOfBatch() const {
    std::map<std::string, absl::Duration> stages;
    for (const auto& [name, value] : FieldsOf("batch sent ")) {
      if (absl::EndsWith(name, "_us")) {
        stages[name] = absl::Microseconds(std::stoll(value));
      }
    }
    return stages;
  }
  // All of the batch's time was in this stage, but for what its events take.
  void ExpectSpentIn(const std::string& slow, absl::Duration all) {
    absl::Duration sum;
    for (const auto& [stage, time] : StagesOfBatch()) {
      sum += time;
      if (stage == slow) continue;
      EXPECT_LT(time, all / 100) << stage;
    }
    EXPECT_GE(sum, all - absl::Microseconds(kNumTimedStages));
    EXPECT_LE(sum, all);
  }
  // Returns the value of NAME{stage="STAGE"} of the histograms.
  double Exported(const std::string& name, const std::string& stage) const {
    const std::string text = metrics_.Exposition();
    const std::string key = absl::StrCat("tributary_batch_stage_seconds_", name,
                                         "{stage=\"", stage, "\"} ");
    const size_t at = text.find(key);
    EXPECT_NE(at, std::string::npos) << text;
    return at == std::string::npos ? -1
                                   : std::stod(text.substr(at + key.size()));
  }

  Metrics metrics_;
  std::vector<std::string> lines_;
};

TEST_F(BatchStagesTest, ABatchThatWaitsForMemoryOfOthersWasQueued) {
  Reservation held;
  Admission::Batch other;
  other.job = "other";
  other.stream = 2;
  other.reserve_bytes = kBudget;
  other.start = [&held](Reservation reservation) {
    held = std::move(reservation);
  };
  const auto admitted = core_->admission->Enqueue(std::move(other));
  ASSERT_TRUE(admitted.ok());
  RunFor(absl::Seconds(1));
  const absl::Time from = executor_->Now();
  Admit(0, std::make_shared<Slot>());
  RunFor(absl::Seconds(5));
  EXPECT_THAT(lines_, IsEmpty());
  held.Release();
  core_->admission->Finish(*admitted);
  EXPECT_TRUE(
      world_.RunUntil([&] { return !lines_.empty(); }, absl::Seconds(1)));
  ExpectSpentIn("queue_us", executor_->Now() - from);
  Run();
  EXPECT_NEAR(Exported("sum", "queue"), 5, 0.05);
  EXPECT_LT(Exported("sum", "sample"), 0.05);
}

TEST_F(BatchStagesTest, ABatchThatIsNotTakenWasBeingSent) {
  const absl::Time from = executor_->Now();
  Admit(0);
  Run();
  RunFor(absl::Seconds(7));
  EXPECT_THAT(lines_, IsEmpty());
  for (const char* stage : {"queue", "sample", "sample_peers", "gather",
                            "gather_disk", "gather_peers"}) {
    EXPECT_EQ(Exported("count", stage), 1) << stage;
  }
  EXPECT_EQ(Exported("count", "send"), 0);
  stream_->sent.clear();
  EXPECT_TRUE(
      world_.RunUntil([&] { return !lines_.empty(); }, absl::Seconds(1)));
  ExpectSpentIn("send_us", executor_->Now() - from);
  Run();
  EXPECT_EQ(Exported("count", "send"), 1);
  EXPECT_NEAR(Exported("sum", "send"), 7, 0.07);
}

TEST_F(BatchStagesTest, ABatchThatIsNeitherMadeNorSentCountsInNone) {
  Admit(0, nullptr, 64);  // too small a credit
  Admit(1);
  Run();
  grants_->Cancel(1);  // made, but not taken
  stream_->sent.clear();
  Run();
  EXPECT_EQ(Exported("count", "sample"), 1);
  EXPECT_EQ(Exported("count", "send"), 0);
}

TEST_F(BatchStagesTest, ABatchThatFailsIsNamedByItsIdsAtInfo) {
  SetLogLevel(LogLevel::kInfo);
  AdmitOf(SessionOf({99}), 0, std::make_shared<Slot>(), 4096);
  Run();
  const auto fields = FieldsOf("batch failed: ");
  EXPECT_EQ(fields.at("job"), "job");
  EXPECT_EQ(fields.at("index"), "0");
  EXPECT_EQ(Exported("count", "sample"), 0);
}

TEST_F(BatchStagesTest, ABatchIsNamedByItsIds) {
  Admit(1, std::make_shared<Slot>());
  Run();
  const auto fields = FieldsOf("batch sent ");
  EXPECT_EQ(fields.at("job"), "job");
  EXPECT_EQ(fields.at("session"), ToHex(session_.identity).substr(0, 16));
  EXPECT_EQ(fields.at("index"), "1");
  EXPECT_GT(std::stoi(fields.at("bytes")), 0);
}

TEST_F(BatchStagesTest, NothingIsWrittenOfABatchBelowDebug) {
  SetLogLevel(LogLevel::kInfo);
  Admit(0, std::make_shared<Slot>());
  Run();
  EXPECT_THAT(lines_, IsEmpty());
}

TEST_F(StreamGrantsTest, ATracedBatchSaysInItsFirstFrameWhereItsTimeWent) {
  Start({}, {.frame_bytes = 64, .window_bytes = 1 << 20});
  trace_id_ = "0123456789abcdef";
  Admit(0);
  Run();
  ASSERT_GT(stream_->sent.size(), 1u);
  for (size_t i = 0; i < stream_->sent.size(); ++i) {
    v1::Frame frame;
    ASSERT_TRUE(frame.ParseFromString(stream_->sent[i].header));
    ASSERT_EQ(frame.has_trace(), i == 0) << i;
    if (i > 0) continue;
    const v1::BatchTrace& trace = frame.trace();
    EXPECT_EQ(trace.trace_id(), trace_id_);
    EXPECT_EQ(trace.job(), "job");
    EXPECT_EQ(trace.inputs(), 3u);
    EXPECT_EQ(trace.bytes(), frame.total());
    EXPECT_EQ(trace.stage_us_size(), static_cast<int>(kNumTimedStages));
    EXPECT_EQ(trace.spans(0).stage(), 0u);
    EXPECT_EQ(trace.session().size(), 32u);
    EXPECT_NEAR(static_cast<double>(trace.arrived_unix_us()),
                static_cast<double>(absl::ToUnixMicros(absl::Now())), 600e6);
  }
  stream_->sent.clear();
  Run();
  ExpectIdle();
}

TEST_F(StreamGrantsTest, ReadyCarriesTheTraceToo) {
  trace_id_ = "0123456789abcdef";
  Admit(0, std::make_shared<Slot>());
  Run();
  v1::Ready ready;
  ASSERT_TRUE(ready.ParseFromString(stream_->sent[0].header));
  EXPECT_EQ(ready.trace().trace_id(), trace_id_);
}

TEST_F(StreamGrantsTest, WithoutAnIdNoTraceIsSentButItIsKept) {
  Admit(0, std::make_shared<Slot>());
  Run();
  v1::Ready ready;
  ASSERT_TRUE(ready.ParseFromString(stream_->sent[0].header));
  EXPECT_FALSE(ready.has_trace());
  const v1::BatchTrace kept = Recorded(0);
  EXPECT_EQ(kept.outcome(), v1::BatchTrace::OUTCOME_SENT);
  EXPECT_EQ(kept.bytes(), ready.total());
  EXPECT_EQ(kept.trace_id(), "");
}

TEST_F(StreamGrantsTest, WhatBecameOfABatchIsKept) {
  Admit(0, nullptr, 64);
  Run();
  EXPECT_EQ(Recorded(0).outcome(), v1::BatchTrace::OUTCOME_NEEDS);
  Admit(1);
  Run();
  EXPECT_THAT(core_->recent_batches.Find("job", 0, 1), IsEmpty())
      << "it is being sent";
  stream_->sent.clear();
  Run();
  EXPECT_EQ(Recorded(1).outcome(), v1::BatchTrace::OUTCOME_SENT);
}

TEST_F(StreamGrantsTest, ABatchThatIsCancelledWhileItRunsIsKeptAsSuch) {
  Admit(0, std::make_shared<Slot>());
  EXPECT_TRUE(world_.RunUntil(
      [&] { return grants_->Progress().stage(0) == v1::STAGE_SAMPLING; },
      absl::Seconds(1)));
  grants_->Cancel(0);
  Run();
  EXPECT_EQ(Recorded(0).outcome(), v1::BatchTrace::OUTCOME_CANCELLED);
}

TEST_F(StreamGrantsTest, ATraceCountsTheBatchesBeforeIt) {
  AdmissionLimits limits;
  limits.running = 1;
  Start(limits);
  UseInputs({0, 3, 1, 6, 2, 4, 5});
  for (uint64_t i = 0; i < 3; ++i) Admit(i, std::make_shared<Slot>());
  Run();
  EXPECT_EQ(Recorded(0).queued(), 0u);
  EXPECT_GE(Recorded(2).queued(), 1u);
  EXPECT_GT(Recorded(2).queued(), Recorded(1).queued());
  EXPECT_EQ(Recorded(2).queued_of_job(), Recorded(2).queued());
}

}  // namespace
}  // namespace tributary
