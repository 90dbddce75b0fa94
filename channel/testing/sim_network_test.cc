#include "channel/testing/sim_network.h"

#include <memory>
#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace tributary {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

const Address kServer{"server", 1};

// Writes down all that happens on a stream.
class Recorder : public StreamHandler {
 public:
  void OnMessage(IncomingMessage& message) override {
    std::vector<uint8_t> payload(message.payload_size());
    const absl::Status copied = message.CopyPayload(absl::MakeSpan(payload));
    if (!copied.ok()) {
      ++damaged;
      return;
    }
    headers.emplace_back(message.header());
  }
  void OnClosed(const absl::Status& why) override { closed.push_back(why); }

  std::vector<std::string> headers;
  std::vector<absl::Status> closed;
  int damaged = 0;
};

class Acceptor : public StreamAcceptor {
 public:
  std::shared_ptr<StreamHandler> Accept(StreamMethod, std::string peer,
                                        std::shared_ptr<Stream> stream,
                                        absl::Status* why) override {
    if (refuse) {
      *why = absl::ResourceExhaustedError("full");
      return nullptr;
    }
    peers.push_back(std::move(peer));
    streams.push_back(std::move(stream));
    handlers.push_back(std::make_shared<Recorder>());
    return handlers.back();
  }
  bool refuse = false;
  std::vector<std::string> peers;
  std::vector<std::shared_ptr<Stream>> streams;
  std::vector<std::shared_ptr<Recorder>> handlers;
};

OutgoingMessage Text(std::string text) {
  return {.kind = MessageKind::kProgress, .header = std::move(text)};
}

class SimNetworkTest : public testing::Test {
 protected:
  std::shared_ptr<Stream> Connect() {
    return network_.TransportOf(client_)->Connect(
        kServer, StreamMethod::kBatches, handler_);
  }

  SimScheduler world_{1};
  SimNetwork network_{&world_};
  SimExecutor* client_ = world_.AddNode("client");
  SimExecutor* server_ = world_.AddNode("server");
  Acceptor acceptor_;
  std::shared_ptr<Recorder> handler_ = std::make_shared<Recorder>();
};

TEST_F(SimNetworkTest, DeliversInOrderBothWays) {
  network_.Listen(server_, kServer, &acceptor_);
  auto stream = Connect();
  for (char c = 'a'; c <= 'e'; ++c) {
    EXPECT_TRUE(stream->Send(Text(std::string(1, c))).ok());
  }
  ASSERT_TRUE(world_.Drain(1000));
  ASSERT_EQ(acceptor_.handlers.size(), 1u);
  EXPECT_THAT(acceptor_.peers, ElementsAre("client"));
  EXPECT_THAT(acceptor_.handlers[0]->headers,
              ElementsAre("a", "b", "c", "d", "e"));
  EXPECT_EQ(stream->queued_bytes(), 0u);
  EXPECT_TRUE(acceptor_.streams[0]->Send(Text("back")).ok());
  ASSERT_TRUE(world_.Drain(1000));
  EXPECT_THAT(handler_->headers, ElementsAre("back"));
}

TEST_F(SimNetworkTest, NobodyThereIsAClosedStreamThatNamesTheAddress) {
  auto stream = Connect();
  ASSERT_TRUE(world_.Drain(1000));
  ASSERT_EQ(handler_->closed.size(), 1u);
  EXPECT_EQ(handler_->closed[0].code(), absl::StatusCode::kUnavailable);
  EXPECT_THAT(std::string(handler_->closed[0].message()),
              HasSubstr("server:1"));
}

TEST_F(SimNetworkTest, RefusalCarriesItsReason) {
  acceptor_.refuse = true;
  network_.Listen(server_, kServer, &acceptor_);
  auto stream = Connect();
  ASSERT_TRUE(world_.Drain(1000));
  ASSERT_EQ(handler_->closed.size(), 1u);
  EXPECT_EQ(handler_->closed[0].code(), absl::StatusCode::kResourceExhausted);
}

TEST_F(SimNetworkTest, OrderlyCloseComesAfterWhatWasSent) {
  network_.Listen(server_, kServer, &acceptor_);
  auto stream = Connect();
  EXPECT_TRUE(stream->Send(Text("last words")).ok());
  stream->Close(absl::OkStatus());
  EXPECT_EQ(stream->Send(Text("too late")).code(),
            absl::StatusCode::kUnavailable);
  ASSERT_TRUE(world_.Drain(1000));
  EXPECT_THAT(acceptor_.handlers[0]->headers, ElementsAre("last words"));
  EXPECT_EQ(acceptor_.handlers[0]->closed.size(), 1u);
  EXPECT_EQ(handler_->closed.size(), 1u);
}

TEST_F(SimNetworkTest, CrashedServerIsSeenLaterAndOnce) {
  network_.Listen(server_, kServer, &acceptor_);
  auto stream = Connect();
  ASSERT_TRUE(world_.Drain(1000));
  network_.Crash(server_);
  EXPECT_THAT(handler_->closed, IsEmpty());
  EXPECT_TRUE(stream->Send(Text("into the void")).ok());
  ASSERT_TRUE(world_.Drain(1000));
  ASSERT_EQ(handler_->closed.size(), 1u);
  EXPECT_EQ(handler_->closed[0].code(), absl::StatusCode::kUnavailable);
  EXPECT_THAT(acceptor_.handlers[0]->headers, IsEmpty());
}

TEST_F(SimNetworkTest, EveryFlippedBitIsFound) {
  network_.Listen(server_, kServer, &acceptor_);
  network_.faults().corrupt = 1;
  const std::vector<uint8_t> payload(100, 42);
  for (int i = 0; i < 500; ++i) {
    auto stream = Connect();
    OutgoingMessage message = Text("header");
    message.payload = payload;
    EXPECT_TRUE(stream->Send(std::move(message)).ok());
    ASSERT_TRUE(world_.Drain(1000));
  }
  ASSERT_TRUE(world_.Drain(1000));  // the last stream's end
  EXPECT_EQ(network_.messages_corrupted(), 500u);
  for (const auto& handler : acceptor_.handlers) {
    EXPECT_THAT(handler->headers, IsEmpty());
    ASSERT_EQ(handler->closed.size(), 1u);
    EXPECT_TRUE(handler->damaged == 1 || !handler->closed[0].ok());
    if (handler->damaged == 0) {
      // A flipped version is told from damage only by its checksum.
      EXPECT_THAT(handler->closed[0].code(),
                  testing::AnyOf(absl::StatusCode::kDataLoss,
                                 absl::StatusCode::kFailedPrecondition));
    }
  }
}

TEST_F(SimNetworkTest, PartitionHoldsMessagesBackInOrderUntilHealed) {
  network_.Listen(server_, kServer, &acceptor_);
  auto stream = Connect();
  ASSERT_TRUE(world_.Drain(1000));
  network_.Partition(client_, server_);
  for (const char* text : {"a", "b", "c"}) {
    EXPECT_TRUE(stream->Send(Text(text)).ok());
  }
  auto arrived = [&] { return !acceptor_.handlers[0]->headers.empty(); };
  EXPECT_FALSE(world_.RunUntil(arrived, absl::Seconds(1)));
  network_.Heal();
  ASSERT_TRUE(world_.Drain(1000));
  EXPECT_THAT(acceptor_.handlers[0]->headers, ElementsAre("a", "b", "c"));
}

TEST_F(SimNetworkTest, MoreThanTheQueueHoldsBreaksTheStream) {
  network_.Listen(server_, kServer, &acceptor_);
  network_.faults().max_queued_bytes = 1000;
  auto stream = Connect();
  const std::vector<uint8_t> payload(600);
  OutgoingMessage first = Text("1"), second = Text("2");
  first.payload = second.payload = payload;
  EXPECT_TRUE(stream->Send(std::move(first)).ok());
  EXPECT_EQ(stream->Send(std::move(second)).code(),
            absl::StatusCode::kResourceExhausted);
  ASSERT_TRUE(world_.Drain(1000));
  EXPECT_EQ(handler_->closed.size(), 1u);
}

}  // namespace
}  // namespace tributary
