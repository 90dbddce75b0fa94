#include "channel/testing/sim_network.h"

#include <memory>
#include <string>
#include <vector>

#include "channel/testing/transport_conformance.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace tributary {
namespace {

class SimNetworkHarness {
 public:
  SimNetworkHarness() { network_.faults().max_queued_bytes = kMaxQueued; }
  ~SimNetworkHarness() { world_.Drain(100000); }
  Transport* transport() { return network_.TransportOf(client_); }
  Address Listen(StreamAcceptor* acceptor) {
    network_.Listen(server_, {"server", 1}, acceptor);
    return {"server", 1};
  }
  Address Nobody() { return {"nobody", 2}; }
  bool RunUntil(conformance::Log&, const std::function<bool()>& done) {
    return world_.RunUntil(done, absl::Minutes(1));
  }
  void KillServers() { network_.BreakStreamsOf(server_); }
  size_t max_queued_bytes() { return kMaxQueued; }

 private:
  static constexpr size_t kMaxQueued = size_t{8} << 20;
  SimScheduler world_{11};
  SimNetwork network_{&world_};
  SimExecutor* client_ = world_.AddNode("client");
  SimExecutor* server_ = world_.AddNode("server");
};

}  // namespace

namespace conformance {
INSTANTIATE_TYPED_TEST_SUITE_P(Simulated, TransportConformance,
                               SimNetworkHarness);
}  // namespace conformance

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
  std::shared_ptr<StreamHandler> Accept(StreamMethod, CallerPtr caller,
                                        std::shared_ptr<Stream> stream,
                                        absl::Status* why) override {
    if (refuse) {
      *why = absl::ResourceExhaustedError("full");
      return nullptr;
    }
    peers.push_back(caller->address);
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

TEST_F(SimNetworkTest, APartitionHasADirection) {
  network_.Listen(server_, kServer, &acceptor_);
  auto stream = Connect();
  ASSERT_TRUE(world_.Drain(1000));
  network_.Part("server", "client");
  EXPECT_TRUE(stream->Send(Text("up")).ok());
  EXPECT_TRUE(acceptor_.streams[0]->Send(Text("down")).ok());
  ASSERT_TRUE(world_.Drain(1000));
  EXPECT_THAT(acceptor_.handlers[0]->headers, ElementsAre("up"));
  EXPECT_THAT(handler_->headers, IsEmpty());
  network_.Heal("server", "client");
  ASSERT_TRUE(world_.Drain(1000));
  EXPECT_THAT(handler_->headers, ElementsAre("down"));
}

TEST_F(SimNetworkTest, APartitionHoldsConnectionsAndClosesBackToo) {
  network_.Listen(server_, kServer, &acceptor_);
  network_.Partition(client_, server_);
  auto stream = Connect();
  EXPECT_TRUE(stream->Send(Text("first")).ok());
  stream->Close(absl::OkStatus());
  stream.reset();
  ASSERT_TRUE(world_.Drain(1000));
  EXPECT_THAT(acceptor_.handlers, IsEmpty());
  EXPECT_EQ(handler_->closed.size(), 1u);  // its own close
  network_.Heal();
  ASSERT_TRUE(world_.Drain(1000));
  ASSERT_EQ(acceptor_.handlers.size(), 1u);
  EXPECT_THAT(acceptor_.handlers[0]->headers, ElementsAre("first"));
  EXPECT_EQ(acceptor_.handlers[0]->closed.size(), 1u);
}

TEST_F(SimNetworkTest, AStalledStreamIsSeenByEachEndInItsOwnTime) {
  network_.Listen(server_, kServer, &acceptor_);
  auto stream = Connect();
  ASSERT_TRUE(world_.Drain(1000));
  network_.faults().stall = 1;
  auto owner = std::make_shared<int>(1);
  OutgoingMessage lost = Text("lost");
  lost.payload_owner = owner;
  EXPECT_TRUE(stream->Send(std::move(lost)).ok());
  EXPECT_TRUE(stream->Send(Text("lost too")).ok());
  auto one_told = [&] {
    return handler_->closed.size() + acceptor_.handlers[0]->closed.size() == 1;
  };
  EXPECT_EQ(owner.use_count(), 2);
  EXPECT_TRUE(world_.RunUntil(one_told, absl::Seconds(10)));
  ASSERT_TRUE(world_.Drain(1000));
  EXPECT_THAT(acceptor_.handlers[0]->headers, IsEmpty());
  EXPECT_EQ(handler_->closed.size(), 1u);
  EXPECT_EQ(acceptor_.handlers[0]->closed.size(), 1u);
  EXPECT_EQ(owner.use_count(), 1);
  EXPECT_EQ(network_.counts().stalled, 1u);
}

TEST_F(SimNetworkTest, ADoubleBringsAllOnceMoreAndHearsNothing) {
  network_.Listen(server_, kServer, &acceptor_);
  network_.faults().connect_twice = 1;
  auto stream = Connect();
  EXPECT_TRUE(stream->Send(Text("a")).ok());
  EXPECT_TRUE(stream->Send(Text("b")).ok());
  ASSERT_TRUE(world_.Drain(1000));
  ASSERT_EQ(acceptor_.handlers.size(), 2u);
  for (int i : {0, 1}) {
    EXPECT_THAT(acceptor_.handlers[i]->headers, ElementsAre("a", "b"));
    EXPECT_TRUE(acceptor_.streams[i]->Send(Text("answer")).ok());
  }
  ASSERT_TRUE(world_.Drain(1000));
  stream->Close(absl::OkStatus());
  ASSERT_TRUE(world_.Drain(1000));
  EXPECT_THAT(handler_->headers, ElementsAre("answer"));
  for (int i : {0, 1}) EXPECT_EQ(acceptor_.handlers[i]->closed.size(), 1u);
}

TEST_F(SimNetworkTest, RoomsTravelOnlyWhereMemoryIsShared) {
  class Room final : public SharedRoom {
    absl::Span<uint8_t> bytes() override { return {}; }
  };
  class KeepsRoom final : public StreamHandler {
   public:
    void OnMessage(IncomingMessage& message) override {
      had_room = message.room() != nullptr;
    }
    void OnClosed(const absl::Status&) override {}
    bool had_room = false;
  };
  network_.Listen(server_, kServer, &acceptor_);
  for (bool carries : {false, true}) {
    network_.set_carries_rooms(carries);
    auto heard = std::make_shared<KeepsRoom>();
    auto stream = network_.TransportOf(client_)->Connect(
        kServer, StreamMethod::kBatches, heard);
    ASSERT_TRUE(world_.Drain(1000));
    OutgoingMessage message = Text("credit");
    message.room = std::make_shared<Room>();
    EXPECT_TRUE(acceptor_.streams.back()->Send(std::move(message)).ok());
    ASSERT_TRUE(world_.Drain(1000));
    EXPECT_EQ(heard->had_room, carries);
  }
}

// A client that gives up on a frozen server leaves it its rooms until it is
// gone.
TEST_F(SimNetworkTest, WhatADeadNodeHasNotReadLendsItNothing) {
  class Room final : public SharedRoom {
    absl::Span<uint8_t> bytes() override { return {}; }
  };
  network_.set_carries_rooms(true);
  network_.Listen(server_, kServer, &acceptor_);
  auto stream = Connect();
  ASSERT_TRUE(world_.Drain(1000));
  world_.Freeze(server_->node());
  OutgoingMessage message = Text("credit");
  const auto room = std::make_shared<Room>();
  message.room = room;
  EXPECT_TRUE(stream->Send(std::move(message)).ok());
  stream->Close(absl::OkStatus());
  ASSERT_TRUE(world_.Drain(1000));
  EXPECT_GT(room.use_count(), 1);
  network_.Crash(server_);
  ASSERT_TRUE(world_.Drain(1000));
  EXPECT_EQ(room.use_count(), 1);
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
