#include "trainer_client/core/fleet/server_streams.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <utility>

#include "common/testing/sim_scheduler.h"

namespace tributary {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

// Keeps the kinds of what is sent.
class FakeStream final : public Stream {
 public:
  absl::Status Send(OutgoingMessage message) override {
    sent.push_back(message.kind);
    return absl::OkStatus();
  }
  size_t queued_bytes() const override { return 0; }
  void Close(absl::Status why) override { closed = std::move(why); }

  std::vector<MessageKind> sent;
  absl::Status closed;
};

class FakeTransport final : public Transport {
 public:
  std::shared_ptr<Stream> Connect(
      const Address&, StreamMethod,
      std::shared_ptr<StreamHandler> handler) override {
    streams.push_back(std::make_shared<FakeStream>());
    handlers.push_back(std::move(handler));
    return streams.back();
  }
  std::vector<std::shared_ptr<FakeStream>> streams;
  std::vector<std::shared_ptr<StreamHandler>> handlers;
};

// Two streams of two grants each; a server that never answers.
class ServerStreamsTest : public testing::Test {
 protected:
  void SetUp() override { streams_.Open("the specification", {}); }
  void Request(uint64_t index, bool exclusive = false) {
    CreditRequest request;
    request.key.index = index;
    request.generation = 1;
    request.exclusive = exclusive;
    request.slot = ReceiveSlot::Allocate(ring_, 4'096);
    streams_.Request(request, absl::Seconds(1));
  }
  void Run(absl::Duration time) {
    bool due = false;
    world_.Schedule(-1, world_.now() + time, [&due] { due = true; });
    world_.RunUntil([&due] { return due; }, time + absl::Seconds(1));
  }
  BatchStream& stream(size_t i) {
    return static_cast<BatchStream&>(*transport_.handlers[i]);
  }

  SimScheduler world_{1};
  FakeTransport transport_;
  const std::shared_ptr<SlotRing> ring_ = SlotRing::Create(64 << 10);
  ServerStreams streams_{
      {.transport = &transport_,
       .address = {"server", 1},
       .strand = std::make_shared<Strand>(world_.AddNode("trainer")),
       .num_streams = 2,
       .grants_per_stream = 2,
       .client_name = "test"}};
};

TEST_F(ServerStreamsTest, SpreadsCreditsOverStreamsUntilAllAreFull) {
  for (uint64_t index : {0, 1, 2, 3}) {
    EXPECT_TRUE(streams_.CanTake(false));
    EXPECT_EQ(streams_.CanTake(true), index == 0);
    Request(index);
  }
  EXPECT_FALSE(streams_.CanTake(false));
  EXPECT_EQ(streams_.num_grants(), 4);
  for (const auto& stream : transport_.streams) {
    EXPECT_THAT(stream->sent,
                ElementsAre(MessageKind::kOpenSession, MessageKind::kCredit,
                            MessageKind::kCredit));
  }
  // The second credit was the first one of the second stream.
  EXPECT_EQ(streams_.TakeEnded(stream(0), 1)->batch().index, 0);
  EXPECT_EQ(streams_.TakeEnded(stream(1), 1)->batch().index, 1);
  EXPECT_FALSE(streams_.TakeEnded(stream(1), 1).has_value());
  EXPECT_TRUE(streams_.CanTake(false));
}

TEST_F(ServerStreamsTest, AnExclusiveGrantKeepsOthersAway) {
  Request(0, /*exclusive=*/true);
  EXPECT_FALSE(streams_.CanTake(false));
}

TEST_F(ServerStreamsTest, CancelsEachGrantOnce) {
  Request(0);
  Request(1);
  streams_.Cancel({1, 1});
  streams_.Cancel({0, 2});  // of another generation
  streams_.Cancel({1, 1});
  EXPECT_EQ(transport_.streams[0]->sent.size(), 2);
  EXPECT_THAT(transport_.streams[1]->sent,
              ElementsAre(MessageKind::kOpenSession, MessageKind::kCredit,
                          MessageKind::kCancel));
  EXPECT_TRUE(streams_.HasGrantFor({1, 1}));
  EXPECT_FALSE(streams_.HasLiveGrantFor({1, 1}));
  EXPECT_TRUE(streams_.HasLiveGrantFor({0, 1}));
  streams_.CancelAll();
  EXPECT_EQ(transport_.streams[0]->sent.size(), 3);
  EXPECT_EQ(transport_.streams[1]->sent.size(), 3);
}

TEST_F(ServerStreamsTest, MeasuresSilenceButNotItsOwnStandstill) {
  const absl::Duration limit = absl::Seconds(2);
  Request(0);
  streams_.MeasureSilence(limit);
  Run(absl::Seconds(1));
  Request(1);
  EXPECT_THAT(streams_.MeasureSilence(limit).batches, IsEmpty());
  Run(absl::Seconds(1));
  EXPECT_THAT(streams_.MeasureSilence(limit).batches,
              ElementsAre(BatchRef{0, 1}));
  streams_.Cancel({0, 1});
  EXPECT_THAT(streams_.MeasureSilence(limit).batches, IsEmpty());
  EXPECT_EQ(streams_.MeasureSilence(limit).longest, absl::Seconds(2));
  EXPECT_THAT(streams_.FindLate(absl::Seconds(1)), ElementsAre(BatchRef{1, 1}));
  EXPECT_THAT(streams_.FindLate(absl::Seconds(2)), IsEmpty());
  Run(absl::Seconds(3));  // without a measurement
  EXPECT_EQ(streams_.MeasureSilence(limit).longest, absl::ZeroDuration());
}

TEST_F(ServerStreamsTest, KeepsClosedStreamsUntilTheyAreForgotten) {
  Request(0);
  Request(1);
  const std::vector<OpenGrant> lost =
      streams_.Close(absl::UnavailableError("enough"));
  ASSERT_EQ(lost.size(), 2);
  EXPECT_EQ(lost[1].batch().index, 1);
  EXPECT_EQ(transport_.streams[0]->closed, absl::UnavailableError("enough"));
  EXPECT_FALSE(streams_.is_open());
  EXPECT_FALSE(streams_.Has(stream(0)));
  EXPECT_EQ(ring_->stats().granted, 2);  // until the streams have closed
  streams_.Forget(stream(0));
  EXPECT_TRUE(streams_.has_closing());
  streams_.Forget(stream(1));
  EXPECT_FALSE(streams_.has_closing());
}

}  // namespace
}  // namespace tributary
