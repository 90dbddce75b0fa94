// Control answers that nobody reads.
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

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
  void Close(absl::Status) override {}

  std::vector<OutgoingMessage> Read() { return std::exchange(unread_, {}); }

 private:
  std::vector<OutgoingMessage> unread_;
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
  ControlStreamTest() {
    SamplerServiceOptions options;
    GraphSpec graph;
    graph.num_nodes = 3;
    graph.edges = {{1, 0}, {2, 0}};
    ServedGraph served{BuildGraph(graph)};
    options.control_budget = 4 * served.graph->schema_json().size();
    SamplerServiceEnvironment environment;
    environment.executor = environment.leaf_executor = &pool_;
    service_ = std::make_unique<SamplerService>(options, environment,
                                                std::move(served));
    for (Caller& caller : callers_) {
      absl::Status why;
      caller.handler = service_->Accept(
          StreamMethod::kControl, MakeCaller("peer"), caller.stream, &why);
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
  ThreadPool pool_{"test", 1};
  std::unique_ptr<SamplerService> service_;
  Caller callers_[2];
  uint64_t next_call_ = 1;
};

// Room for four times graph.json: for three descriptions, a little larger.
TEST_F(ControlStreamTest, AnswersThatNobodyReadsAreBoundedOverAllStreams) {
  Describe(0, 2);
  Describe(1, 5);
  Describe(0, 5);
  EXPECT_EQ(Read(1), 1);
  EXPECT_EQ(Read(0), 2);
}

TEST_F(ControlStreamTest, WhatIsReadIsRoomAgain) {
  for (int round = 0; round < 10; ++round) {
    Describe(0, 3);
    EXPECT_EQ(Read(0), 3);
  }
}

}  // namespace
}  // namespace tributary
