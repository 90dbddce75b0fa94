// Trainers that send much and read nothing.
#include <gtest/gtest.h>

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "common/observe/metrics.h"
#include "common/testing/sim_scheduler.h"
#include "partition/format/testing/graph_builder.h"
#include "sampler_server/service/sampler_service.h"

namespace tributary {
namespace {

// Keeps what is sent until it is closed.
class UnreadStream final : public Stream {
 public:
  absl::Status Send(OutgoingMessage message) override {
    if (closed) return absl::UnavailableError("closed");
    bytes += message.header.size();
    unread.push_back(std::move(message));
    return absl::OkStatus();
  }
  size_t queued_bytes() const override { return bytes; }
  void Close(absl::Status why) override {
    if (!closed) closed = std::move(why);
    std::exchange(unread, {});
  }

  std::vector<OutgoingMessage> unread;
  size_t bytes = 0;
  std::optional<absl::Status> closed;
};

class CancelMessage final : public IncomingMessage {
 public:
  explicit CancelMessage(uint64_t grant) {
    v1::Cancel cancel;
    cancel.set_grant(grant);
    header_ = cancel.SerializeAsString();
  }
  MessageKind kind() const override { return MessageKind::kCancel; }
  uint64_t call_id() const override { return 0; }
  std::string_view header() const override { return header_; }
  size_t payload_size() const override { return 0; }
  absl::Status CopyPayload(absl::Span<uint8_t>) override {
    return absl::OkStatus();
  }
  std::shared_ptr<SharedRoom> room() const override { return nullptr; }

 private:
  std::string header_;
};

struct Trainer {
  std::shared_ptr<UnreadStream> stream = std::make_shared<UnreadStream>();
  std::shared_ptr<StreamHandler> handler;
};

class TrainerStreamTest : public ::testing::Test {
 protected:
  TrainerStreamTest() {
    GraphSpec graph;
    graph.num_nodes = 3;
    graph.edges = {{1, 0}, {2, 0}};
    SamplerServiceOptions options;
    options.answer_budget = options.inbox_budget = size_t{1} << 20;
    SamplerServiceEnvironment environment;
    environment.executor = environment.leaf_executor = executor_;
    environment.metrics = &metrics_;
    service_ = std::make_unique<SamplerService>(options, environment,
                                                ServedGraph{BuildGraph(graph)});
  }
  ~TrainerStreamTest() override {
    for (const Trainer& trainer : trainers_) {
      trainer.stream->Close(absl::CancelledError("the end of the test"));
      trainer.handler->OnClosed(absl::OkStatus());
    }
    EXPECT_TRUE(world_.Drain(100'000));
  }

  Trainer Connect(int host) {
    Trainer trainer;
    absl::Status why;
    trainer.handler = service_->Accept(
        StreamMethod::kBatches,
        MakeCaller(absl::StrCat("ipv4:10.0.0.", host, ":4000")), trainer.stream,
        &why);
    trainers_.push_back(trainer);
    return trainer;
  }
  // Cancels grants that are not known, each of which is answered by Returned.
  void Cancel(Trainer& trainer, int times) {
    for (int i = 0; i < times && !trainer.stream->closed; ++i) {
      CancelMessage message(1 + i);
      trainer.handler->OnMessage(message);
    }
  }
  bool Closed(const std::string& reason) {
    return metrics_.Exposition().find(
               "tributary_streams_closed_total{reason=\"" + reason +
               "\",stream=\"batches\"} 1") != std::string::npos;
  }

  SimScheduler world_{1};
  SimExecutor* const executor_ = world_.AddNode("server");
  Metrics metrics_;
  std::unique_ptr<SamplerService> service_;
  std::vector<Trainer> trainers_;
};

TEST_F(TrainerStreamTest, AnswersToCancelsThatNobodyReadsEndTheStream) {
  Trainer deaf = Connect(1), reader = Connect(2);
  for (int i = 0; i < 1000 && !deaf.stream->closed; ++i) {
    Cancel(deaf, 10);
    EXPECT_TRUE(world_.Drain(1000));
  }
  ASSERT_TRUE(deaf.stream->closed.has_value());
  EXPECT_TRUE(absl::IsResourceExhausted(*deaf.stream->closed));
  EXPECT_TRUE(Closed("unread_answers"));
  Cancel(reader, 100);
  EXPECT_TRUE(world_.Drain(1000));
  EXPECT_EQ(reader.stream->unread.size(), 100u);
}

TEST_F(TrainerStreamTest, MessagesThatAreNotWaitedForEndTheStream) {
  Trainer flood = Connect(1);
  Cancel(flood, 1000);
  ASSERT_TRUE(flood.stream->closed.has_value());
  EXPECT_TRUE(absl::IsResourceExhausted(*flood.stream->closed));
  EXPECT_TRUE(Closed("unhandled_messages"));
}

}  // namespace
}  // namespace tributary
