// How the connection to one server fails, waits and comes back.
#include "trainer_client/core/fleet/server_link.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "channel/testing/sim_network.h"
#include "common/testing/sim_scheduler.h"
#include "trainer_client/core/testing/fake_sampler.h"

namespace tributary {
namespace {

using testing::IsEmpty;

// The first pause is 50 to 100 ms long; a connection takes a few messages.
constexpr absl::Duration kFirstPause = absl::Milliseconds(100);
constexpr absl::Duration kConnecting = absl::Milliseconds(5);

// Counts what happens. With `accepts` false it disconnects from a server that
// has made a batch, as a loader does that got another batch than it asked for.
class RecordedEvents final : public ServerEvents {
 public:
  absl::Status OnDescribed(ServerLink&, const ServerDescription&) override {
    return absl::OkStatus();
  }
  void OnServerUp(ServerLink&) override { ++ups; }
  void OnServerDown(ServerLink&, std::vector<OpenGrant>) override { ++downs; }
  void OnGrantEnd(ServerLink& link, const OpenGrant&, GrantEnd end) override {
    ++ends;
    if (accepts || end.kind != GrantEnd::Kind::kFilled) return;
    link.Disconnect(absl::DataLossError("another batch"));
  }

  bool accepts = true;
  int ups = 0, downs = 0, ends = 0;
};

class ServerLinkTest : public testing::Test {
 protected:
  ServerLinkTest() {
    network_.Listen(server_node_, kAddress, &server_);
    link_->SetSession(std::make_shared<const std::string>("the specification"));
    link_->Start();
    AwaitUp();
  }
  ~ServerLinkTest() override {
    bool closed = false;
    link_->Close([&closed] { closed = true; });
    EXPECT_TRUE(world_.RunUntil([&] { return closed; }, absl::Minutes(1)));
  }

  ServerLinkOptions Options() {
    ServerLinkOptions options;
    options.address = kAddress;
    options.transport = network_.TransportOf(trainer_);
    options.strand = std::make_shared<Strand>(trainer_);
    options.num_streams = 2;
    options.client_name = "test";
    options.backoff = {kFirstPause, absl::Seconds(5)};
    return options;
  }
  FakeSampler::Settings ServerSettings() {
    FakeSampler::Settings settings;
    settings.executor = settings.node = server_node_;
    return settings;
  }
  void Run(absl::Duration time) {
    bool due = false;
    world_.Schedule(-1, world_.now() + time, [&due] { due = true; });
    world_.RunUntil([&due] { return due; }, time + absl::Seconds(1));
  }
  void AwaitUp() {
    ASSERT_TRUE(
        world_.RunUntil([this] { return link_->up(); }, absl::Minutes(1)));
  }
  // Breaks the streams and returns how long the server was down.
  absl::Duration BreakAndAwaitUp() {
    network_.BreakStreamsOf(server_node_);
    return AwaitDownAndUp();
  }
  absl::Duration AwaitDownAndUp() {
    EXPECT_TRUE(
        world_.RunUntil([this] { return !link_->up(); }, absl::Seconds(1)));
    const absl::Time down = world_.now();
    AwaitUp();
    return world_.now() - down;
  }
  void Request() {
    ASSERT_TRUE(link_->CanTake(false));
    CreditRequest request;
    request.key.index = next_index_++;
    request.generation = 1;
    request.slot = ReceiveSlot::Allocate(ring_, 4'096);
    link_->RequestBatch(std::move(request));
  }
  // Requests one more batch and runs until the server has answered.
  void RequestAndAwaitEnd() {
    const int before = events_->ends;
    Request();
    ASSERT_TRUE(world_.RunUntil([&] { return events_->ends > before; },
                                absl::Seconds(1)));
  }
  void AnswerBy(FakeAct::Kind kind, absl::Duration delay = {}) {
    server_.settings().act = [kind, delay](const v1::Credit&) {
      return FakeAct{.kind = kind, .delay = delay};
    };
  }

  inline static const Address kAddress{"server", 1};
  SimScheduler world_{1};
  SimNetwork network_{&world_};
  SimExecutor* const trainer_ = world_.AddNode("trainer");
  SimExecutor* const server_node_ = world_.AddNode("server");
  FakeSampler server_{ServerSettings()};
  const std::shared_ptr<SlotRing> ring_ = SlotRing::Create(64 << 10);
  const std::shared_ptr<RecordedEvents> events_ =
      std::make_shared<RecordedEvents>();
  const std::shared_ptr<ServerLink> link_ =
      std::make_shared<ServerLink>(Options(), events_);
  uint64_t next_index_ = 0;
};

TEST_F(ServerLinkTest, AfterABatchTheNextPauseIsShortAgain) {
  for (int i = 0; i < 8; ++i) {
    EXPECT_LT(BreakAndAwaitUp(), kFirstPause + kConnecting) << i;
    RequestAndAwaitEnd();
  }
}

// A server that comes up only to fail again is asked less and less often.
TEST_F(ServerLinkTest, ComingUpDoesNotShortenThePause) {
  for (int i = 0; i < 5; ++i) {
    EXPECT_GE(BreakAndAwaitUp(), kFirstPause / 2 * (1 << i)) << i;
  }
}

TEST_F(ServerLinkTest, ABatchThatIsNotAcceptedDoesNotShortenThePause) {
  events_->accepts = false;
  for (int i = 0; i < 5; ++i) {
    Request();
    EXPECT_GE(AwaitDownAndUp(), kFirstPause / 2 * (1 << i)) << i;
  }
}

// Both streams break at once: it is one failure, with one pause.
TEST_F(ServerLinkTest, StreamsThatBreakTogetherAreOneFailure) {
  EXPECT_LT(BreakAndAwaitUp(), kFirstPause + kConnecting);
  EXPECT_EQ(events_->downs, 1);
  EXPECT_EQ(events_->ups, 2);
}

// 8 in a row are tolerated; the 9th disconnects.
TEST_F(ServerLinkTest, ManyForgottenSessionsInARowDisconnect) {
  for (int round = 0; round < 2; ++round) {
    AnswerBy(FakeAct::Kind::kUnknown);
    for (int i = 0; i < 8; ++i) RequestAndAwaitEnd();
    EXPECT_TRUE(link_->up());
    if (round == 0) {
      AnswerBy(FakeAct::Kind::kServe);
      RequestAndAwaitEnd();
    }
  }
  EXPECT_EQ(events_->downs, 0);
  Request();
  AwaitDownAndUp();
  for (int i = 0; i < 8; ++i) RequestAndAwaitEnd();
  EXPECT_TRUE(link_->up());
  EXPECT_EQ(events_->downs, 1);
}

TEST_F(ServerLinkTest, AShorterPauseOfRequestsDoesNotEndALongerOne) {
  link_->PauseRequests(absl::Seconds(10));
  link_->PauseRequests(absl::Seconds(1));
  Run(absl::Seconds(2));
  EXPECT_FALSE(link_->CanTake(false));
  Run(absl::Seconds(9));
  EXPECT_TRUE(link_->CanTake(false));
}

// The process that asked for the pause may be gone.
TEST_F(ServerLinkTest, AReconnectEndsAPauseOfRequests) {
  link_->PauseRequests(absl::Minutes(1));
  BreakAndAwaitUp();
  EXPECT_TRUE(link_->CanTake(false));
}

// Connecting to a frozen server fails after call_timeout, 5 s, in which nothing
// was proved.
TEST_F(ServerLinkTest, IsDownFromItsFailureToItsLatestAttempt) {
  Run(absl::Seconds(30));
  EXPECT_EQ(link_->down_for(), absl::ZeroDuration());
  world_.Freeze(server_node_->node());
  network_.BreakStreamsOf(server_node_);
  Run(absl::Milliseconds(5'110));  // one attempt has failed
  EXPECT_GE(link_->down_for(), kFirstPause / 2);
  EXPECT_LT(link_->down_for(), kFirstPause);
  world_.Thaw(server_node_->node());
  AwaitUp();
  EXPECT_EQ(link_->down_for(), absl::ZeroDuration());
}

// Batches are taken to need 10 ms at first; each adds a fifth of its own time.
TEST_F(ServerLinkTest, LoadGrowsWithOpenGrantsAndTheTimeOfBatches) {
  EXPECT_DOUBLE_EQ(link_->Load(), 0.010);
  AnswerBy(FakeAct::Kind::kServe, absl::Milliseconds(100));
  RequestAndAwaitEnd();
  EXPECT_NEAR(link_->Load(), 0.8 * 0.010 + 0.2 * 0.100, 0.001);
  const double idle = link_->Load();
  Request();
  EXPECT_DOUBLE_EQ(link_->Load(), 2 * idle);
}

// Its load halves every 2 s, down to the first guess.
TEST_F(ServerLinkTest, AServerThatWasSlowIsWorthAnotherTryAfterAWhile) {
  AnswerBy(FakeAct::Kind::kServe, absl::Milliseconds(500));
  RequestAndAwaitEnd();
  const double slow = link_->Load();
  EXPECT_NEAR(slow, 0.8 * 0.010 + 0.2 * 0.500, 0.001);
  Run(absl::Seconds(4));
  EXPECT_NEAR(link_->Load(), slow / 4, 0.001);
  Run(absl::Seconds(20));
  EXPECT_DOUBLE_EQ(link_->Load(), 0.010);
  Request();  // one at a time
  EXPECT_DOUBLE_EQ(link_->Load(), 2 * slow);
}

TEST_F(ServerLinkTest, ALongSilenceDisconnects) {
  AnswerBy(FakeAct::Kind::kNothing);
  Request();
  const absl::Time asked = world_.now();
  EXPECT_THAT(link_->FindSilent(), IsEmpty());
  std::vector<absl::Duration> silent;  // when the batch was found to be
  while (link_->up() && world_.now() - asked < absl::Minutes(1)) {
    Run(absl::Milliseconds(500));
    if (!link_->FindSilent().empty()) silent.push_back(world_.now() - asked);
  }
  ASSERT_FALSE(silent.empty());
  EXPECT_EQ(silent.front(), absl::Seconds(2));
  EXPECT_EQ(world_.now() - asked, absl::Seconds(8));
}

}  // namespace
}  // namespace tributary
