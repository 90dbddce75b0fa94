// Which servers a loader knows, asks and cancels, while their list changes.
#include "trainer_client/core/fleet/server_fleet.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <deque>
#include <map>
#include <memory>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include "channel/testing/sim_network.h"
#include "common/fleet/host_resolver.h"
#include "common/testing/sim_scheduler.h"
#include "trainer_client/core/testing/fake_sampler.h"

namespace tributary {
namespace {

using testing::HasSubstr;
using testing::Not;
using testing::UnorderedElementsAre;

Address AddressOf(int server) { return {"server" + std::to_string(server), 1}; }

// The list of servers, which a test changes.
class ListedServers final : public HostResolver {
 public:
  void Resolve(const Address&, Done done) override {
    ++asked;
    done(answer);
  }
  int asked = 0;
  absl::StatusOr<std::vector<Address>> answer;
};

class Events final : public ServerEvents {
 public:
  absl::Status OnDescribed(ServerLink&, const ServerDescription&) override {
    return absl::OkStatus();
  }
  void OnServerUp(ServerLink&) override {}
  void OnServerDown(ServerLink&, std::vector<OpenGrant>) override {}
  void OnGrantEnd(ServerLink& link, const OpenGrant&, GrantEnd end) override {
    if (end.kind == GrantEnd::Kind::kReturned) {
      returned.push_back(link.address().host);
    }
  }
  std::vector<std::string> returned;
};

// Keeps the content digest for which each address was asked last.
class DescribeWatch final : public SimNetworkWatch {
 public:
  void OnArrival(const SimLinkInfo& link, SimSide,
                 const OutgoingMessage& message) override {
    if (message.kind != MessageKind::kDescribeRequest) return;
    v1::DescribeRequest request;
    ASSERT_TRUE(request.ParseFromString(message.header));
    asked_for[link.address] = request.content_digest();
  }
  void OnConnect(const SimLinkInfo&) override {}
  void OnSend(const SimLinkInfo&, SimSide, const OutgoingMessage&) override {}
  void OnClose(const SimLinkInfo&, SimSide, const absl::Status&) override {}
  void OnClosed(const SimLinkInfo&, SimSide) override {}

  std::map<Address, std::string> asked_for;
};

class ServerFleetTest : public testing::Test {
 protected:
  ~ServerFleetTest() override {
    if (!closed_) Close();
  }

  // Starts three servers, and a fleet to which the first `listed` are known.
  void Start(int listed, int num_clients = 0, int client_rank = 0) {
    network_.set_watch(&watch_);
    for (int i = 0; i < 3; ++i) AddServer();
    std::vector<int> first(listed);
    std::iota(first.begin(), first.end(), 0);
    List(first);
    ServerFleetOptions options;
    options.source.kind = DiscoverySource::Kind::kDns;
    options.source.name = {"fleet", 1};
    options.resolver = &list_;
    options.num_clients = num_clients;
    options.client_rank = client_rank;
    options.link.transport = network_.TransportOf(trainer_);
    options.link.strand = strand_;
    options.link.client_name = "test";
    fleet_ = std::make_shared<ServerFleet>(options);
    fleet_->SetEvents(events_);
    fleet_->SetSession(std::make_shared<const std::string>("specification"));
    fleet_->Start();
    Run(absl::Milliseconds(10));
    EXPECT_EQ(fleet_->num_up(), listed);
  }
  // Lists these servers, by number; effective once a name is looked up again.
  void List(const std::vector<int>& servers) {
    list_.answer = std::vector<Address>();
    for (int i : servers) list_.answer->push_back(AddressOf(i));
  }
  void ListAndApply(const std::vector<int>& servers) {
    List(servers);
    RunToNextLookUp();
  }
  void RunToNextLookUp() { Run(absl::Milliseconds(1'100)); }
  void Run(absl::Duration time) {
    bool due = false;
    world_.Schedule(-1, world_.now() + time, [&due] { due = true; });
    world_.RunUntil([&due] { return due; }, time + absl::Seconds(1));
  }
  // A failure that passes: the server may be reached again at once.
  void BreakStreamsOf(int server) {
    network_.BreakStreamsOf(servers_[server].settings().node);
    Run(absl::Milliseconds(1));
  }
  void Close() {
    fleet_->Close([this] {
      closed_ = true;
      EXPECT_EQ(ring_->stats().granted, 0) << "a slot may be written to yet";
    });
    EXPECT_TRUE(world_.RunUntil([this] { return closed_; }, absl::Minutes(1)));
  }
  BatchServer* Choose(uint64_t index) {
    return fleet_->Choose({.batch = {index, 1}});
  }
  void Request(BatchServer& server, uint64_t index) {
    CreditRequest request;
    request.key.index = index;
    request.generation = 1;
    request.slot = ReceiveSlot::Allocate(ring_, 4'096);
    server.RequestBatch(std::move(request));
  }

  SimScheduler world_{1};
  DescribeWatch watch_;
  SimNetwork network_{&world_};
  SimExecutor* const trainer_ = world_.AddNode("trainer");
  const std::shared_ptr<Strand> strand_ = std::make_shared<Strand>(trainer_);
  const std::shared_ptr<SlotRing> ring_ = SlotRing::Create(64 << 10);
  std::deque<FakeSampler> servers_;
  ListedServers list_;
  const std::shared_ptr<Events> events_ = std::make_shared<Events>();
  std::shared_ptr<ServerFleet> fleet_;
  bool closed_ = false;

 private:
  void AddServer() {
    const auto i = static_cast<int>(servers_.size());
    FakeSampler::Settings settings;
    settings.executor = settings.node =
        world_.AddNode("server" + std::to_string(i));
    settings.incarnation = static_cast<uint64_t>(i) + 1;
    settings.act = [](const v1::Credit&) {
      return FakeAct{.kind = FakeAct::Kind::kSlow};
    };
    SimExecutor* const node = settings.node;
    network_.Listen(node, AddressOf(i),
                    &servers_.emplace_back(std::move(settings)));
  }
};

// Lists repeat their members, or leave some out for a moment.
TEST_F(ServerFleetTest, AServerThatIsListedAgainStaysThroughAFailure) {
  Start(2);
  ListAndApply({0, 1, 2});
  BreakStreamsOf(0);
  EXPECT_EQ(fleet_->num_up(), 2);
  Run(absl::Seconds(1));
  EXPECT_EQ(fleet_->num_up(), 3);
  ListAndApply({1, 2});
  ListAndApply({0, 1, 2});
  BreakStreamsOf(0);
  Run(absl::Seconds(1));
  EXPECT_EQ(fleet_->num_up(), 3);
}

TEST_F(ServerFleetTest, AServerThatIsNotListedLeavesWhenItFails) {
  Start(2);
  ListAndApply({1});
  EXPECT_EQ(fleet_->num_up(), 2);
  BreakStreamsOf(0);
  Run(absl::Seconds(10));
  EXPECT_EQ(fleet_->num_up(), 1);
  EXPECT_THAT(fleet_->ToString(), Not(HasSubstr("server0:1")));
  ListAndApply({0, 1});
  EXPECT_EQ(fleet_->num_up(), 2);
}

TEST_F(ServerFleetTest, ALaterServerGetsWhatTheOthersWereGiven) {
  Start(1);
  EXPECT_EQ(watch_.asked_for[AddressOf(0)], "");
  const Sha256Digest content = Sha256Of("the graph");
  fleet_->PinGraph(content);
  ListAndApply({0, 1});
  EXPECT_EQ(watch_.asked_for[AddressOf(1)],
            std::string(content.begin(), content.end()));
  BreakStreamsOf(0);
  Run(absl::Seconds(1));
  EXPECT_EQ(watch_.asked_for[AddressOf(0)],
            std::string(content.begin(), content.end()));
  // It has its batch streams: turns by index reach both.
  EXPECT_EQ(Choose(0)->address(), AddressOf(0));
  EXPECT_EQ(Choose(1)->address(), AddressOf(1));
}

// Of two clients the second has the second server of the list.
TEST_F(ServerFleetTest, ItsOwnServersFollowTheList) {
  Start(2, /*num_clients=*/2, /*client_rank=*/1);
  for (uint64_t index : {0, 1}) {
    EXPECT_EQ(Choose(index)->address(), AddressOf(1));
  }
  ListAndApply({1, 0});
  for (uint64_t index : {0, 1}) {
    EXPECT_EQ(Choose(index)->address(), AddressOf(0));
  }
}

TEST_F(ServerFleetTest, AProblemOfTheListIsNamedWhileItLasts) {
  Start(2);
  list_.answer = absl::UnavailableError("no such name");
  RunToNextLookUp();
  EXPECT_THAT(fleet_->ToString(),
              HasSubstr("their list: UNAVAILABLE: no such"));
  EXPECT_EQ(fleet_->num_up(), 2);
  ListAndApply({0, 1});
  EXPECT_THAT(fleet_->ToString(), Not(HasSubstr("their list")));
}

TEST_F(ServerFleetTest, ABatchIsCancelledWhereverElseItWasAskedFor) {
  Start(3);
  BatchServer* const keep = Choose(0);
  ASSERT_NE(keep, nullptr);
  Request(*keep, 0);
  for (int i = 0; i < 2; ++i) {
    BatchServer* const other = Choose(0);  // never one that was asked
    ASSERT_NE(other, nullptr);
    Request(*other, 0);
  }
  EXPECT_EQ(Choose(0), nullptr);
  Run(absl::Milliseconds(10));
  fleet_->Cancel({0, 1}, keep);
  Run(absl::Milliseconds(10));
  EXPECT_THAT(events_->returned, UnorderedElementsAre("server1", "server2"));
  EXPECT_TRUE(fleet_->IsRequested({0, 1}));
  fleet_->Cancel({0, 1}, nullptr);
  EXPECT_FALSE(fleet_->IsRequested({0, 1}));
}

TEST_F(ServerFleetTest, CancelAllReachesEveryServer) {
  Start(2);
  Request(*Choose(0), 0);
  Request(*Choose(1), 1);
  Run(absl::Milliseconds(10));
  fleet_->CancelAll();
  Run(absl::Milliseconds(10));
  EXPECT_THAT(events_->returned, UnorderedElementsAre("server0", "server1"));
  EXPECT_EQ(fleet_->num_open_grants(), 0);
}

// 45 s are a quarter of the default credit timeout.
TEST_F(ServerFleetTest, AnUnreachableServerIsDeadOnlyWhileAnotherIsUp) {
  using Fate = DeathRecord::Fate;
  Start(2);
  EXPECT_EQ(fleet_->FateOf({AddressOf(0), 1}), Fate::kAlive);
  EXPECT_EQ(fleet_->FateOf({AddressOf(0), 7}), Fate::kDead);
  EXPECT_EQ(fleet_->FateOf({AddressOf(2), 3}), Fate::kDead);  // not a member
  for (int i : {0, 1}) network_.StopListening(AddressOf(i));
  BreakStreamsOf(0);
  Run(absl::Seconds(30));
  EXPECT_EQ(fleet_->FateOf({AddressOf(0), 1}), Fate::kUnknown);
  Run(absl::Seconds(25));
  EXPECT_EQ(fleet_->FateOf({AddressOf(0), 1}), Fate::kDead);
  BreakStreamsOf(1);
  EXPECT_EQ(fleet_->FateOf({AddressOf(0), 1}), Fate::kUnknown);
}

TEST_F(ServerFleetTest, AfterCloseTheListIsReadNoMore) {
  Start(1);
  Close();
  const int asked = list_.asked;
  Run(absl::Seconds(5));
  EXPECT_EQ(list_.asked, asked);
}

// The streams of a server that has left close later than it leaves.
TEST_F(ServerFleetTest, CloseWaitsForServersThatHaveLeft) {
  Start(1);
  BatchServer* const server = Choose(0);
  Request(*server, 0);
  Run(absl::Milliseconds(10));
  ListAndApply({});
  EXPECT_EQ(fleet_->num_up(), 1);
  server->Disconnect(absl::UnavailableError("enough"));
  EXPECT_EQ(fleet_->ToString(), "none is known");
  EXPECT_EQ(ring_->stats().granted, 1);
  Close();
}

}  // namespace
}  // namespace tributary
