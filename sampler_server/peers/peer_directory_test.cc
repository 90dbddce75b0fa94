// Which peers a server knows, and what it believes of them.
#include "sampler_server/peers/peer_directory.h"

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "partition/format/testing/graph_builder.h"
#include "sampler_server/peers/testing/scripted_peer.h"

namespace tributary {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;
using ::testing::UnorderedElementsAre;

class PeerDirectoryTest : public testing::Test {
 protected:
  std::vector<std::string> Owners(uint32_t partition) {
    std::vector<std::string> owners;
    for (const auto& peer : world_.directory()->Owners(partition)) {
      owners.push_back(peer->address().ToString());
    }
    return owners;
  }
  std::vector<std::string> Listed() {
    std::vector<std::string> listed;
    for (const v1::PeerState& state : world_.directory()->States()) {
      listed.push_back(state.address());
    }
    return listed;
  }
  // Past the next Describe of a healthy peer, which comes once a second.
  void RunToNextDescribe() { world_.RunFor(absl::Milliseconds(1100)); }

  PeerWorld world_;
};

TEST_F(PeerDirectoryTest, OwnersAreThoseThatSaidSo) {
  world_.Add({0, 1});
  world_.Add({1});
  world_.Add({});
  EXPECT_THAT(Owners(1), IsEmpty());
  world_.Introduce();
  EXPECT_THAT(Owners(0), ElementsAre("peer0:1"));
  EXPECT_THAT(Owners(1), UnorderedElementsAre("peer0:1", "peer1:1"));
  EXPECT_THAT(Owners(2), IsEmpty());
  EXPECT_EQ(world_.directory()->Problems(), "");
}

TEST_F(PeerDirectoryTest, AsksForTheGraphByItsLayout) {
  world_.Add({0});
  world_.Introduce();
  EXPECT_EQ(world_.peer(0).num_described, 1);
  v1::DescribeRequest request;
  ASSERT_TRUE(request.ParseFromString(world_.peer(0).describe_header));
  const Sha256Digest& layout = world_.graph().schema().layout_digest;
  EXPECT_EQ(request.layout_digest(), std::string(layout.begin(), layout.end()));
}

// Its answers carry this server's own incarnation, which is 1.
TEST_F(PeerDirectoryTest, TheServerItselfIsNoPeer) {
  world_.Add({0, 1}).description.set_incarnation(1);
  world_.Add({1});
  world_.List({0, 1});
  EXPECT_THAT(Listed(), ElementsAre("peer1:1"));
  EXPECT_THAT(Owners(0), IsEmpty());
  EXPECT_THAT(Owners(1), ElementsAre("peer1:1"));
  // Another server has come up at the address.
  world_.peer(0).description.set_incarnation(7);
  RunToNextDescribe();
  EXPECT_THAT(Owners(0), ElementsAre("peer0:1"));
}

TEST_F(PeerDirectoryTest, OwnersComeFirstInTurn) {
  for (int i = 0; i < 3; ++i) world_.Add({0});
  world_.Introduce();
  std::vector<std::string> first;
  for (int i = 0; i < 3; ++i) {
    const auto owners = Owners(0);
    ASSERT_THAT(owners, SizeIs(3));
    first.push_back(owners.front());
  }
  EXPECT_THAT(first, UnorderedElementsAre("peer0:1", "peer1:1", "peer2:1"));
}

TEST_F(PeerDirectoryTest, DrainingOwnersComeLast) {
  for (int i = 0; i < 3; ++i) world_.Add({0});
  world_.Introduce();
  world_.peer(1).description.set_draining(true);
  RunToNextDescribe();
  for (int i = 0; i < 6; ++i) {
    const auto owners = Owners(0);
    ASSERT_THAT(owners, SizeIs(3));
    EXPECT_EQ(owners.back(), "peer1:1");
  }
  EXPECT_THAT(world_.Healthy(), SizeIs(3));
  world_.peer(1).description.set_draining(false);
  RunToNextDescribe();
  std::vector<std::string> last;
  for (int i = 0; i < 3; ++i) last.push_back(Owners(0).back());
  EXPECT_THAT(last, UnorderedElementsAre("peer0:1", "peer1:1", "peer2:1"));
}

TEST_F(PeerDirectoryTest, SlowOwnersComeLast) {
  for (int i = 0; i < 3; ++i) world_.Add({0});
  world_.Introduce();
  const auto slow = world_.directory()->Owners(0).front();
  const std::string address = slow->address().ToString();
  const absl::Time began = world_.now();
  slow->answer_times().Begin(began);
  world_.RunFor(absl::Milliseconds(100));  // it has not answered yet
  for (int i = 0; i < 6; ++i) EXPECT_EQ(Owners(0).back(), address);
  slow->answer_times().End(began, world_.now(), /*answered=*/true);
  for (int i = 0; i < 6; ++i) EXPECT_EQ(Owners(0).back(), address);
  // Nobody asks it any more: it is tried again.
  world_.RunFor(absl::Seconds(3));
  std::vector<std::string> last;
  for (int i = 0; i < 3; ++i) last.push_back(Owners(0).back());
  EXPECT_THAT(last, UnorderedElementsAre("peer0:1", "peer1:1", "peer2:1"));
}

TEST_F(PeerDirectoryTest, OwnersThatTakeAsLongAreNotSlow) {
  for (int i = 0; i < 3; ++i) world_.Add({0});
  world_.Introduce();
  const absl::Time began = world_.now();
  for (const auto& owner : world_.directory()->Owners(0)) {
    owner->answer_times().Begin(began);
  }
  world_.RunFor(absl::Milliseconds(100));
  std::vector<std::string> last;
  for (int i = 0; i < 3; ++i) last.push_back(Owners(0).back());
  EXPECT_THAT(last, UnorderedElementsAre("peer0:1", "peer1:1", "peer2:1"));
}

TEST_F(PeerDirectoryTest, PartitionsMayChange) {
  ScriptedPeer& peer = world_.Add({0, 1});
  world_.Introduce();
  peer.description.clear_partitions();
  peer.description.add_partitions(1);
  RunToNextDescribe();
  EXPECT_THAT(Owners(0), IsEmpty());
  EXPECT_THAT(Owners(1), ElementsAre("peer0:1"));
}

// Describe has 2 s; a failed one is repeated after 2 s at most.
TEST_F(PeerDirectoryTest, ASilentPeerIsUnhealthyUntilItAnswers) {
  ScriptedPeer& peer = world_.Add({0});
  world_.Introduce();
  peer.answers_describe = false;
  world_.RunFor(absl::Milliseconds(3500));
  EXPECT_THAT(Owners(0), IsEmpty());
  EXPECT_THAT(Listed(), ElementsAre("peer0:1"));
  EXPECT_THAT(world_.directory()->Problems(),
              AllOf(HasSubstr("peer0:1 (DEADLINE_EXCEEDED"),
                    HasSubstr("no answer before the deadline")));
  peer.answers_describe = true;
  world_.RunFor(absl::Seconds(5));
  EXPECT_THAT(Owners(0), ElementsAre("peer0:1"));
  EXPECT_GE(peer.num_control_streams, 2) << "a stream may be stuck";
}

// Lists repeat their members every time they are read.
TEST_F(PeerDirectoryTest, APeerThatIsListedAgainStaysListed) {
  ScriptedPeer& peer = world_.Add({0});
  world_.Add({0});
  world_.Introduce();
  world_.List({0, 1});
  peer.describe_error = absl::UnavailableError("for a moment");
  RunToNextDescribe();
  EXPECT_THAT(world_.Healthy(), ElementsAre("peer1:1"));
  peer.describe_error = absl::OkStatus();
  world_.RunFor(absl::Seconds(3));
  EXPECT_THAT(world_.Healthy(), ElementsAre("peer0:1", "peer1:1"));
  // Also if it was left out in between.
  world_.List({1});
  world_.List({0, 1});
  peer.describe_error = absl::UnavailableError("for a moment");
  RunToNextDescribe();
  peer.describe_error = absl::OkStatus();
  world_.RunFor(absl::Seconds(3));
  EXPECT_THAT(world_.Healthy(), ElementsAre("peer0:1", "peer1:1"));
  EXPECT_THAT(Owners(0), SizeIs(2));
}

TEST_F(PeerDirectoryTest, APeerThatIsNoLongerListedStaysWhileItIsHealthy) {
  ScriptedPeer& peer = world_.Add({0});
  world_.Add({0});
  world_.Introduce();
  world_.List({1});
  world_.RunFor(absl::Seconds(5));
  EXPECT_THAT(world_.Healthy(), ElementsAre("peer0:1", "peer1:1"));
  peer.describe_error = absl::UnavailableError("gone");
  RunToNextDescribe();
  EXPECT_THAT(Listed(), ElementsAre("peer1:1"));
  peer.describe_error = absl::OkStatus();
  const int described = peer.num_described;
  world_.RunFor(absl::Seconds(5));
  EXPECT_EQ(peer.num_described, described);
  world_.List({0, 1});
  EXPECT_THAT(world_.Healthy(), ElementsAre("peer0:1", "peer1:1"));
}

TEST_F(PeerDirectoryTest, AListMayGrow) {
  world_.Add({0});
  world_.Add({1});
  world_.List({0});
  EXPECT_THAT(Listed(), ElementsAre("peer0:1"));
  world_.List({0, 1});
  EXPECT_THAT(world_.Healthy(), ElementsAre("peer0:1", "peer1:1"));
  EXPECT_EQ(world_.peer(0).num_described, 1) << "it was healthy already";
}

TEST_F(PeerDirectoryTest, AListedAddressMayComeUpLater) {
  world_.network().StopListening(world_.AddressOf(0));
  world_.List({0});
  world_.RunFor(absl::Seconds(3));
  EXPECT_THAT(Listed(), ElementsAre("peer0:1"));
  EXPECT_THAT(world_.directory()->Problems(),
              HasSubstr("peer0:1 (UNAVAILABLE"));
  world_.Add({1});
  world_.RunFor(absl::Seconds(3));
  EXPECT_THAT(Owners(1), ElementsAre("peer0:1"));
}

TEST_F(PeerDirectoryTest, AReportedPeerIsDescribedAtOnce) {
  ScriptedPeer& peer = world_.Add({0});
  world_.Introduce();
  const auto owner = world_.directory()->Owners(0).at(0);
  const auto leaf = owner->Leaf();
  EXPECT_TRUE(leaf->open());
  world_.directory()->ReportFailure(owner, absl::UnavailableError("broken"));
  EXPECT_THAT(Owners(0), IsEmpty());
  EXPECT_FALSE(leaf->open());
  EXPECT_EQ(world_.directory()->Problems(), "peer0:1 (UNAVAILABLE: broken)");
  // Reported twice, as by two calls: one Describe is enough.
  world_.directory()->ReportFailure(owner, absl::UnavailableError("again"));
  EXPECT_EQ(world_.directory()->Problems(), "peer0:1 (UNAVAILABLE: broken)");
  world_.RunFor(absl::Milliseconds(5));
  EXPECT_THAT(Owners(0), ElementsAre("peer0:1"));
  EXPECT_EQ(peer.num_described, 2);
}

// The first pause is 25 to 50 ms long.
TEST_F(PeerDirectoryTest, AfterAnAnswerTheNextPauseIsShortAgain) {
  ScriptedPeer& peer = world_.Add({0});
  world_.Introduce();
  for (int i = 0; i < 6; ++i) {
    const auto owner = world_.directory()->Owners(0).at(0);
    const int described = peer.num_described;
    peer.describe_error = absl::UnavailableError("for a moment");
    world_.directory()->ReportFailure(owner, absl::UnavailableError("broken"));
    ASSERT_TRUE(
        world_.RunUntil([&] { return peer.num_described > described; }));
    peer.describe_error = absl::OkStatus();
    const absl::Time failed = world_.now();
    ASSERT_TRUE(world_.RunUntil([&] { return !Owners(0).empty(); }));
    EXPECT_LT(world_.now() - failed, absl::Milliseconds(55)) << i;
  }
}

// A Describe between the periodic ones adds none to them.
TEST_F(PeerDirectoryTest, AReportedPeerIsDescribedNoMoreOftenAfterwards) {
  ScriptedPeer& peer = world_.Add({0});
  world_.Introduce();
  for (int i = 0; i < 3; ++i) {
    const auto owner = world_.directory()->Owners(0).at(0);
    world_.directory()->ReportFailure(owner, absl::UnavailableError("broken"));
    world_.RunFor(absl::Milliseconds(100));
  }
  const int described = peer.num_described;
  world_.RunFor(absl::Seconds(10));
  EXPECT_LE(peer.num_described - described, 10);
  EXPECT_GE(peer.num_described - described, 9);
}

TEST_F(PeerDirectoryTest, APeerWithAnotherGraphIsRefused) {
  GraphSpec other;
  other.name = "other";
  other.num_nodes = 4;
  other.num_partitions = 2;
  world_.Add({0}).description.set_graph_json(BuildGraph(other)->schema_json());
  world_.List({0});
  EXPECT_THAT(Owners(0), IsEmpty());
  EXPECT_THAT(world_.directory()->Problems(),
              AllOf(HasSubstr("peer0:1 (FAILED_PRECONDITION: it serves graph "
                              "'other' with layout digest "),
                    HasSubstr("this server has 'test' with ")));
}

TEST_F(PeerDirectoryTest, OnlyDigestsAreAskedForAndCompared) {
  GraphSpec spec;
  spec.num_nodes = 4;
  spec.num_partitions = 2;
  const auto other = BuildGraph(spec)->schema().layout_digest;
  ScriptedPeer& same = world_.Add({0});
  ScriptedPeer& different = world_.Add({1});
  const auto ours = GraphSchema::FromJson(same.description.graph_json());
  ASSERT_TRUE(ours.ok()) << ours.status();
  const Sha256Digest& layout = ours->layout_digest;
  same.description.set_layout_digest(layout.data(), layout.size());
  different.description.set_layout_digest(other.data(), other.size());
  same.description.clear_graph_json();
  different.description.clear_graph_json();
  world_.List({0, 1});
  EXPECT_THAT(Owners(0), SizeIs(1));
  EXPECT_THAT(Owners(1), IsEmpty());
  EXPECT_THAT(world_.directory()->Problems(),
              AllOf(HasSubstr("peer1:1 (FAILED_PRECONDITION: it describes a "
                              "graph with layout digest " +
                              ToHex(other)),
                    HasSubstr("asked for 'test' with " + ToHex(layout))));
  v1::DescribeRequest asked;
  ASSERT_TRUE(asked.ParseFromString(same.describe_header));
  EXPECT_EQ(asked.graph_text(), v1::GRAPH_TEXT_NONE);
}

TEST_F(PeerDirectoryTest, AnAnswerThatIsNoDescriptionIsRefused) {
  world_.Add({0}).description.set_graph_json("{}");
  ScriptedPeer& garbled = world_.Add({0});
  garbled.raw_description = "\xff\xff\xff";
  world_.List({0, 1});
  EXPECT_THAT(world_.Healthy(), IsEmpty());
  EXPECT_THAT(world_.directory()->Problems(),
              AllOf(HasSubstr("peer0:1 (DATA_LOSS: graph.json: "),
                    HasSubstr("header of DescribeReply, 3 bytes, is not a "
                              "tributary.v1.DescribeReply")));
}

TEST_F(PeerDirectoryTest, StatesAreWhatTheLastDescribeSaid) {
  world_.Add({1, 0});
  world_.Add({1}).describe_error = absl::InternalError("not now");
  world_.List({0, 1});
  const auto states = world_.directory()->States();
  ASSERT_THAT(states, SizeIs(2));
  EXPECT_EQ(states[0].address(), "peer0:1");
  EXPECT_TRUE(states[0].healthy());
  EXPECT_THAT(states[0].partitions(), ElementsAre(0, 1));
  EXPECT_FALSE(states[1].healthy());
  EXPECT_THAT(states[1].partitions(), IsEmpty());
}

TEST_F(PeerDirectoryTest, AfterStopNothingMoreIsAsked) {
  ScriptedPeer& peer = world_.Add({0});
  world_.Introduce();
  const auto leaf = world_.directory()->Owners(0).at(0)->Leaf();
  bool stopped = false;
  world_.directory()->Stop([&stopped] { stopped = true; });
  EXPECT_FALSE(stopped) << "called inside Stop";
  ASSERT_TRUE(world_.RunUntil([&stopped] { return stopped; }));
  EXPECT_FALSE(leaf->open());
  EXPECT_THAT(Listed(), IsEmpty());
  world_.List({0});
  world_.RunFor(absl::Seconds(5));
  EXPECT_EQ(peer.num_described, 1);
  EXPECT_THAT(Listed(), IsEmpty());
}

TEST_F(PeerDirectoryTest, TooLongAListIsCut) {
  std::vector<Address> addresses;
  for (uint16_t i = 0; i < 4100; ++i) addresses.push_back({"many", i});
  world_.directory()->SetListed(std::move(addresses));
  ASSERT_TRUE(world_.RunUntil([this] { return !Listed().empty(); }));
  EXPECT_THAT(Listed(), SizeIs(4096));
}

v1::DescribeRequest LastRequest(const ScriptedPeer& peer) {
  v1::DescribeRequest request;
  EXPECT_TRUE(request.ParseFromString(peer.describe_header));
  return request;
}

TEST(PeerDirectoryStatusTest, PeersAreAskedWhileSomebodyLooks) {
  PeerDirectoryOptions options;
  const auto statuses = std::make_shared<PeerStatuses>();
  options.statuses = statuses;
  PeerWorld world(options);
  v1::ServerStatus status;
  status.set_version("told");
  world.Add({0}).description.set_status(status.SerializeAsString());
  world.Introduce();
  EXPECT_FALSE(LastRequest(world.peer(0)).status());
  statuses->Look(world.now());
  world.RunFor(absl::Milliseconds(1100));
  EXPECT_TRUE(LastRequest(world.peer(0)).status());
  const auto told = statuses->Get("peer0:1", world.now());
  ASSERT_TRUE(told.has_value());
  EXPECT_EQ(told->version(), "told");
  world.RunFor(absl::Seconds(31));
  EXPECT_FALSE(LastRequest(world.peer(0)).status());
  world.peer(0).description.clear_status();
  world.RunFor(absl::Seconds(30));
  EXPECT_EQ(statuses->bytes(), 0u);
}

TEST_F(PeerDirectoryTest, WhatIsShownHasTheProblemOfAPeer) {
  world_.Add({0}).describe_error = absl::InternalError("it is broken");
  world_.Add({1}).description.set_draining(true);
  world_.Add({}).description.set_incarnation(1);
  world_.List({0, 1, 2});
  world_.RunFor(absl::Seconds(1));
  const std::vector<PeerView> views = world_.directory()->Views();
  ASSERT_THAT(views, SizeIs(2));
  EXPECT_THAT(std::string(views[0].problem.message()),
              HasSubstr("it is broken"));
  EXPECT_TRUE(views[1].problem.ok());
  EXPECT_TRUE(views[1].draining);
  EXPECT_EQ(world_.directory()->self_address(), "peer2:1");
}

}  // namespace
}  // namespace tributary
