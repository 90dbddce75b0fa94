// Leaf calls whose caller has stopped waiting.
#include "sampler_server/service/leaf_stream.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "common/testing/sim_scheduler.h"
#include "sampler_server/testing/fleet_fixture.h"

namespace tributary {
namespace {

// Keeps what is sent.
class FakeStream final : public Stream {
 public:
  absl::Status Send(OutgoingMessage message) override {
    sent.push_back(std::move(message));
    return absl::OkStatus();
  }
  size_t queued_bytes() const override { return 0; }
  void Close(absl::Status why) override {
    if (!closed) closed = std::move(why);
    std::exchange(sent, {});
  }

  std::vector<OutgoingMessage> sent;
  std::optional<absl::Status> closed;
};

class LeafMessage final : public IncomingMessage {
 public:
  LeafMessage(MessageKind kind, uint64_t call_id, std::string header = "",
              std::string payload = "")
      : kind_(kind),
        call_id_(call_id),
        header_(std::move(header)),
        payload_(std::move(payload)) {}
  MessageKind kind() const override { return kind_; }
  uint64_t call_id() const override { return call_id_; }
  std::string_view header() const override { return header_; }
  size_t payload_size() const override { return payload_.size(); }
  absl::Status CopyPayload(absl::Span<uint8_t> to) override {
    std::copy(payload_.begin(), payload_.end(), to.begin());
    return absl::OkStatus();
  }
  std::shared_ptr<SharedRoom> room() const override { return nullptr; }

 private:
  const MessageKind kind_;
  const uint64_t call_id_;
  const std::string header_;
  const std::string payload_;
};

class LeafStreamTest : public ::testing::Test {
 protected:
  LeafStreamTest() {
    core_->leaf_executor = executor_;
    core_->leaf_turns = std::make_shared<CallTurns>(executor_);
    core_->leaf_budget = SharedBudget::Create("leaf calls", 1 << 20);
    EXPECT_TRUE(core_->graphs.Add(graph_).ok());
    handler_ = ServeLeafCalls(core_, stream_, MakeCaller("ipv4:10.0.0.1:4000"));
  }
  // The end of the stream: what it refers to is released.
  ~LeafStreamTest() override { handler_->OnClosed(absl::OkStatus()); }

  // Asks for all neighbours of row 0 of partition 0.
  void AskForHop(uint64_t call_id) {
    v1::SampleHopRequest request;
    const Sha256Digest& layout = graph_->schema().layout_digest;
    request.set_layout_digest(layout.data(), layout.size());
    request.set_fanout(-1);
    request.set_num_nodes(1);
    request.set_max_reply_bytes(4096);
    request.set_timeout_ms(5000);
    // Local number and row.
    LeafMessage message(MessageKind::kSampleHopRequest, call_id,
                        request.SerializeAsString(), std::string(4 + 8, 0));
    handler_->OnMessage(message);
  }
  // Asks for the original id of row 0 of partition 0, `rows` times: the request
  // and its reply have 8 bytes for each.
  void AskForRows(StreamHandler& handler, uint64_t call_id, uint32_t rows) {
    v1::GatherRequest request;
    const Sha256Digest& layout = graph_->schema().layout_digest;
    request.set_layout_digest(layout.data(), layout.size());
    request.set_node_type(0);
    request.add_columns(v1::COLUMN_ORIG_ID);
    request.set_num_rows(rows);
    request.set_max_reply_bytes(size_t{4} << 20);
    request.set_timeout_ms(5000);
    LeafMessage message(MessageKind::kGatherRequest, call_id,
                        request.SerializeAsString(),
                        std::string(rows * sizeof(uint64_t), 0));
    handler.OnMessage(message);
  }
  void Cancel(uint64_t call_id) {
    LeafMessage message(MessageKind::kCancel, call_id);
    handler_->OnMessage(message);
  }
  absl::StatusCode ErrorOf(const OutgoingMessage& message) {
    v1::CallError error;
    EXPECT_TRUE(error.ParseFromString(message.header));
    return static_cast<absl::StatusCode>(error.code());
  }

  SimScheduler world_{1};
  SimExecutor* const executor_ = world_.AddNode("server");
  const std::shared_ptr<ServiceCore> core_ = std::make_shared<ServiceCore>(16);
  const std::shared_ptr<HeldGraph> graph_ =
      std::make_shared<HeldGraph>(ServedGraph{StarGraph({})});
  const std::shared_ptr<FakeStream> stream_ = std::make_shared<FakeStream>();
  std::shared_ptr<StreamHandler> handler_;
};

TEST_F(LeafStreamTest, ACallThatIsCancelledInTheQueueIsNotServed) {
  AskForHop(1);
  AskForHop(2);
  Cancel(1);
  EXPECT_TRUE(world_.Drain(1000));
  ASSERT_EQ(stream_->sent.size(), 2u);
  std::sort(stream_->sent.begin(), stream_->sent.end(),
            [](const auto& a, const auto& b) { return a.call_id < b.call_id; });
  ASSERT_EQ(stream_->sent[0].kind, MessageKind::kCallError);
  EXPECT_EQ(ErrorOf(stream_->sent[0]), absl::StatusCode::kCancelled);
  EXPECT_EQ(stream_->sent[1].kind, MessageKind::kSampleHopReply);
  stream_->sent.clear();
  EXPECT_EQ(core_->leaf_budget->used(), 0u);
}

// The frozen peer holds nearly half of the budget. It keeps that while there is
// room for others, and is closed once somebody is refused.
TEST_F(LeafStreamTest, AFrozenPeerIsClosedWhileOthersAreRefused) {
  core_->streams->SetUp(executor_, StreamEndMetrics());
  core_->streams->Watch(core_->leaf_budget);
  const auto frozen = std::make_shared<FakeStream>();
  const auto handler =
      ServeLeafCalls(core_, frozen, MakeCaller("ipv4:10.0.0.2:4000"));
  AskForRows(*handler, 1, 60'000);
  EXPECT_TRUE(world_.Drain(1000));
  world_.Schedule(-1, world_.now() + absl::Seconds(3), [] {});
  EXPECT_TRUE(world_.Drain(1000));
  ASSERT_EQ(frozen->sent.size(), 1u);
  EXPECT_EQ(frozen->sent[0].kind, MessageKind::kGatherReply);
  EXPECT_FALSE(frozen->closed.has_value());
  AskForRows(*handler_, 1, 40'000);
  EXPECT_TRUE(world_.Drain(1000));
  ASSERT_EQ(stream_->sent.size(), 1u);
  EXPECT_EQ(ErrorOf(stream_->sent[0]), absl::StatusCode::kResourceExhausted);
  ASSERT_TRUE(frozen->closed.has_value());
  EXPECT_TRUE(absl::IsResourceExhausted(*frozen->closed));
  AskForRows(*handler_, 2, 40'000);
  EXPECT_TRUE(world_.Drain(1000));
  ASSERT_EQ(stream_->sent.size(), 2u);
  EXPECT_EQ(stream_->sent[1].kind, MessageKind::kGatherReply);
  handler->OnClosed(absl::OkStatus());
}

TEST_F(LeafStreamTest, APeerThatReadsNothingRefusesNoOther) {
  const auto other = std::make_shared<FakeStream>();
  const auto handler =
      ServeLeafCalls(core_, other, MakeCaller("ipv4:10.0.0.2:4000"));
  for (uint64_t call = 1; call <= 40; ++call) AskForRows(*handler_, call, 4096);
  EXPECT_TRUE(world_.Drain(1000));
  AskForRows(*handler, 1, 4096);
  EXPECT_TRUE(world_.Drain(1000));
  ASSERT_EQ(other->sent.size(), 1u);
  EXPECT_EQ(other->sent[0].kind, MessageKind::kGatherReply);
  handler->OnClosed(absl::OkStatus());
}

TEST_F(LeafStreamTest, RepliesTellTheirTimesBesideTheirOwnFields) {
  AskForHop(1);
  EXPECT_TRUE(world_.Drain(1000));
  ASSERT_EQ(stream_->sent.size(), 1u);
  ASSERT_EQ(stream_->sent[0].kind, MessageKind::kSampleHopReply);
  v1::SampleHopReply reply;
  ASSERT_TRUE(reply.ParseFromString(stream_->sent[0].header));
  EXPECT_EQ(reply.nodes(), 1u);
  EXPECT_TRUE(reply.has_times());
  v1::LeafReplyTrace trace;
  ASSERT_TRUE(trace.ParseFromString(stream_->sent[0].header));
  EXPECT_TRUE(trace.has_times());
  stream_->sent.clear();
}

}  // namespace
}  // namespace tributary
