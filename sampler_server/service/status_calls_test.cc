// What callers are told of a server, by role, over a control stream.
#include "sampler_server/service/status_calls.h"

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "channel/envelope.h"
#include "channel/transport.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "sampler_server/service/sampler_service.h"
#include "sampler_server/testing/fleet_fixture.h"

namespace tributary {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

class SentMessages final : public Stream {
 public:
  absl::Status Send(OutgoingMessage message) override {
    sent.push_back(std::move(message));
    return absl::OkStatus();
  }
  size_t queued_bytes() const override { return 0; }
  void Close(absl::Status) override {}

  std::vector<OutgoingMessage> sent;
};

class Request final : public IncomingMessage {
 public:
  Request(MessageKind kind, std::string header)
      : kind_(kind), header_(std::move(header)) {}
  MessageKind kind() const override { return kind_; }
  uint64_t call_id() const override { return 1; }
  std::string_view header() const override { return header_; }
  size_t payload_size() const override { return 0; }
  absl::Status CopyPayload(absl::Span<uint8_t>) override {
    return absl::OkStatus();
  }
  std::shared_ptr<SharedRoom> room() const override { return nullptr; }

 private:
  const MessageKind kind_;
  const std::string header_;
};

class StatusCallsTest : public FleetFixture {
 protected:
  StatusCallsTest() : fleet_(1) {
    SimServerOptions options;
    options.opened = VectorGraph(2);
    fleet_.Add(options);
  }
  SimServer& server() { return *fleet_.servers[0]; }

  // The answer to one call of a caller.
  std::string Call(const Identity& identity, MessageKind kind,
                   std::string header) {
    const auto stream = std::make_shared<SentMessages>();
    absl::Status why;
    const auto handler = server().service->Accept(
        StreamMethod::kControl, MakeCaller("ipv4:10.0.0.1:4000", identity),
        stream, &why);
    Request request(kind, std::move(header));
    handler->OnMessage(request);
    RunFor(fleet_, absl::Milliseconds(1));
    EXPECT_THAT(stream->sent, SizeIs(1));
    answer_ = stream->sent.front().kind;
    return stream->sent.front().header;
  }
  v1::ServerStatus StatusOf(const Identity& identity) {
    v1::StatusReply reply;
    EXPECT_TRUE(
        reply.ParseFromString(Call(identity, MessageKind::kStatusRequest, "")));
    EXPECT_EQ(answer_, MessageKind::kStatusReply);
    return reply.status();
  }
  std::string DescribedStatus(const Identity& identity, bool wanted) {
    v1::DescribeRequest request;
    request.set_wire_version(kWireVersion);
    request.set_status(wanted);
    v1::DescribeReply reply;
    EXPECT_TRUE(reply.ParseFromString(Call(
        identity, MessageKind::kDescribeRequest, request.SerializeAsString())));
    return reply.status();
  }
  // Two batches for `job`.
  void MakeBatches(const std::string& job) {
    const TrainerSession session = VectorSession(server());
    const auto trainer = Connect(fleet_);
    trainer->Open(session, job);
    trainer->Ask(session, 0);
    trainer->Ask(session, 1);
    Await(fleet_, *trainer, 2);
    EXPECT_EQ(trainer->answer(0), kBatch0);
  }

  SimFleet fleet_;
  MessageKind answer_{};
};

const v1::JobStatus* JobOf(const v1::ServerStatus& status,
                           const std::string& name) {
  for (const v1::JobStatus& job : status.jobs()) {
    if (job.name() == name) return &job;
  }
  return nullptr;
}

TEST_F(StatusCallsTest, TellsOfJobsAndGraphs) {
  server().service->CountLastMinute();  // a timer, so that time passes
  MakeBatches("alpha");
  RunFor(fleet_, absl::Seconds(4));
  const v1::ServerStatus status = StatusOf({});
  EXPECT_GE(status.uptime_s(), 3u);
  EXPECT_EQ(status.memory_budget_bytes(), uint64_t{1} << 20);
  ASSERT_EQ(status.graphs_size(), 1);
  EXPECT_THAT(status.graphs(0).owned_runs(), ElementsAre(0, 1));
  const v1::JobStatus* const alpha = JobOf(status, "alpha");
  ASSERT_NE(alpha, nullptr);
  EXPECT_DOUBLE_EQ(alpha->batches_per_s(), 2 / 5.0);
  EXPECT_GT(alpha->bytes_per_s(), 0);
  EXPECT_EQ(alpha->failed(), 0u);
}

TEST_F(StatusCallsTest, TrainersAreToldOfTheirJobAlone) {
  MakeBatches("alpha");
  MakeBatches("beta");
  for (const Role role : {Role::kAnonymous, Role::kSampler, Role::kOperator}) {
    EXPECT_EQ(StatusOf({role, "x"}).jobs_size(), 2);
  }
  const v1::ServerStatus told = StatusOf({Role::kTrainer, "alpha"});
  EXPECT_NE(JobOf(told, "alpha"), nullptr);
  EXPECT_EQ(told.jobs_size(), 1);
  EXPECT_EQ(told.memory_budget_bytes(), 0u);
  EXPECT_THAT(StatusOf({Role::kTrainer, "none"}).jobs(), IsEmpty());
}

TEST_F(StatusCallsTest, ADescriptionHasAStatusForThoseWhoMayKnowAndAsk) {
  EXPECT_EQ(DescribedStatus({}, false), "");
  EXPECT_EQ(DescribedStatus({Role::kTrainer, "alpha"}, true), "");
  for (const Role role : {Role::kAnonymous, Role::kSampler, Role::kOperator}) {
    v1::ServerStatus status;
    const std::string bytes = DescribedStatus({role, "x"}, true);
    EXPECT_NE(bytes, "");
    EXPECT_TRUE(status.ParseFromString(bytes));
    EXPECT_EQ(status.graphs_size(), 1);
  }
}

TEST_F(StatusCallsTest, AWrongHeaderIsAnError) {
  (void)Call({}, MessageKind::kStatusRequest, "\xff\xff");
  EXPECT_EQ(answer_, MessageKind::kCallError);
}

// Names of jobs are claims: one that makes up 10,000 gets an answer that peers
// keep.
TEST_F(StatusCallsTest, AStatusIsSmallWhateverJobsAreCalled) {
  const TrainerSession session = VectorSession(server());
  for (int i = 0; i < 200; ++i) {
    const auto trainer = Connect(fleet_);
    trainer->Open(session, absl::StrCat(i, std::string(250, 'n')));
    trainer->Ask(session, 0);
    Await(fleet_, *trainer, 1);
    trainer->Close();
  }
  const v1::ServerStatus status = StatusOf({});
  EXPECT_EQ(status.jobs_size(), 33);
  EXPECT_LT(status.ByteSizeLong(), size_t{64} << 10);
}

TEST_F(StatusCallsTest, WhatOthersAreRefusedIsCountedForAMinute) {
  ServerFacts facts;
  server().service->SetFacts([&facts] { return facts; });
  server().service->CountLastMinute();
  facts.refused_connections["untrusted"] = 3;
  RunFor(fleet_, absl::Seconds(1));
  const v1::ServerStatus status = StatusOf({});
  ASSERT_EQ(status.troubles_size(), 1);
  EXPECT_EQ(status.troubles(0).code(), "connections_refused");
  EXPECT_EQ(status.troubles(0).count(), 3u);
  RunFor(fleet_, absl::Seconds(66));
  EXPECT_THAT(StatusOf({}).troubles(), IsEmpty());
}

}  // namespace
}  // namespace tributary
