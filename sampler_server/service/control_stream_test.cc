// Control answers that nobody reads.
#include <gtest/gtest.h>

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "channel/envelope.h"
#include "channel/transport.h"
#include "common/proto/wire.pb.h"
#include "common/runtime/thread_pool.h"
#include "partition/format/testing/graph_builder.h"
#include "sampler_server/service/sampler_service.h"

namespace tributary {
namespace {

// Keeps what is sent until Read().
class UnreadStream final : public Stream {
 public:
  absl::Status Send(OutgoingMessage message) override {
    unread_.push_back(std::move(message));
    return absl::OkStatus();
  }
  size_t queued_bytes() const override { return 0; }
  void Close(absl::Status why) override {
    if (!closed_) closed_ = std::move(why);
  }
  const std::optional<absl::Status>& closed() const { return closed_; }

  std::vector<OutgoingMessage> Read() { return std::exchange(unread_, {}); }

 private:
  std::vector<OutgoingMessage> unread_;
  std::optional<absl::Status> closed_;
};

class DescribeMessage final : public IncomingMessage {
 public:
  explicit DescribeMessage(uint64_t call_id) : call_id_(call_id) {
    v1::DescribeRequest request;
    request.set_wire_version(kWireVersion);
    header_ = request.SerializeAsString();
  }
  MessageKind kind() const override { return MessageKind::kDescribeRequest; }
  uint64_t call_id() const override { return call_id_; }
  std::string_view header() const override { return header_; }
  size_t payload_size() const override { return 0; }
  absl::Status CopyPayload(absl::Span<uint8_t>) override {
    return absl::OkStatus();
  }
  std::shared_ptr<SharedRoom> room() const override { return nullptr; }

 private:
  const uint64_t call_id_;
  std::string header_;
};

class ControlStreamTest : public ::testing::Test {
 protected:
  // What a description takes at most beside graph.json's text.
  static constexpr size_t kBesideText = 512;

  ControlStreamTest() {
    options_.control_budget =
        11 * (Graph().graph->schema_json().size() + kBesideText);
    Start();
  }

  static ServedGraph Graph() {
    GraphSpec graph;
    graph.num_nodes = 3;
    graph.edges = {{1, 0}, {2, 0}};
    return ServedGraph{BuildGraph(graph)};
  }

  void Start() {
    SamplerServiceEnvironment environment;
    environment.executor = environment.leaf_executor = &pool_;
    service_ = std::make_unique<SamplerService>(options_, environment, Graph());
    int host = 1;
    for (Caller& caller : callers_) {
      absl::Status why;
      caller.handler = service_->Accept(
          StreamMethod::kControl,
          MakeCaller(absl::StrCat("ipv4:10.0.0.", host++, ":4000")),
          caller.stream, &why);
    }
  }

  void Describe(int caller, int times) {
    for (int i = 0; i < times; ++i) {
      DescribeMessage message(next_call_++);
      callers_[caller].handler->OnMessage(message);
    }
  }
  // How many of the answers that wait for the caller are descriptions; the
  // others are refusals.
  int Read(int caller) {
    int described = 0;
    for (const OutgoingMessage& message : callers_[caller].stream->Read()) {
      if (message.kind == MessageKind::kDescribeReply) {
        ++described;
        continue;
      }
      v1::CallError error;
      EXPECT_TRUE(error.ParseFromString(message.header));
      EXPECT_EQ(static_cast<absl::StatusCode>(error.code()),
                absl::StatusCode::kResourceExhausted);
    }
    return described;
  }

  struct Caller {
    std::shared_ptr<UnreadStream> stream = std::make_shared<UnreadStream>();
    std::shared_ptr<StreamHandler> handler;
  };
  SamplerServiceOptions options_;
  ThreadPool pool_{"test", 1};
  std::unique_ptr<SamplerService> service_;
  Caller callers_[2];
  uint64_t next_call_ = 1;
};

// A stream may have a quarter: three descriptions, for they are a little
// smaller than kBesideText says. Another caller's finds as much of the rest.
TEST_F(ControlStreamTest, AnswersThatNobodyReadsAreBoundedByCallerAndStream) {
  Describe(0, 5);
  Describe(1, 5);
  EXPECT_EQ(Read(0), 3);
  EXPECT_GE(Read(1), 2);
}

TEST_F(ControlStreamTest, AClientThatReadsNothingIsRefusedAlone) {
  Describe(0, 50'000);
  Describe(1, 1);
  EXPECT_EQ(Read(1), 1);
  EXPECT_FALSE(callers_[1].stream->closed().has_value());
  ASSERT_TRUE(callers_[0].stream->closed().has_value());
  EXPECT_TRUE(absl::IsResourceExhausted(*callers_[0].stream->closed()));
}

TEST_F(ControlStreamTest, AnswersAreMadeOnlyWhileEarlierOnesAreRead) {
  options_.control_budget = size_t{64} << 20;
  Start();
  Describe(0, 100);
  EXPECT_EQ(Read(0), 64);
  Describe(0, 100);
  EXPECT_EQ(Read(0), 64);
}

TEST_F(ControlStreamTest, WhatIsReadIsRoomAgain) {
  for (int round = 0; round < 10; ++round) {
    Describe(0, 3);
    EXPECT_EQ(Read(0), 3);
  }
}

}  // namespace
}  // namespace tributary
