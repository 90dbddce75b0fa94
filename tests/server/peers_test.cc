// Peers that die, freeze, err or serve another layout.
#include "channel/envelope.h"
#include "common/runtime/fault_point.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "sampler_server/peers/testing/scripted_peer.h"
#include "sampler_server/testing/fleet_fixture.h"

namespace tributary {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::StartsWith;

using PeersTest = FleetFixture;

TEST_F(PeersTest, ALoneOwnerThatIsDeadIsNamedByItsPartition) {
  SimFleet fleet(3);
  fleet.Add({.opened = StarGraph({0})});
  fleet.Add({.opened = StarGraph({1})});
  fleet.Settle();
  fleet.Crash(*fleet.servers[1]);
  auto trainer = Connect(fleet);
  const TrainerSession session = StarSession(*fleet.servers[0]);
  trainer->Open(session);
  trainer->Ask(session, 0, 8192, 6000);
  Await(fleet, *trainer, 1);
  EXPECT_THAT(trainer->answer(0),
              AllOf(StartsWith("error UNAVAILABLE"), HasSubstr("partition 1"),
                    HasSubstr("server1:1"), HasSubstr(" retry")));
  RunFor(fleet, absl::Seconds(1));
  ExpectIdle(*fleet.servers[0]);
}

TEST_F(PeersTest, WhenAPeerDiesAnotherOwnerIsAsked) {
  for (uint64_t seed = 1; seed <= 8; ++seed) {
    SimFleet fleet(seed);
    fleet.Add({.opened = VectorGraph(2, {0})});
    fleet.Add({.opened = VectorGraph(2, {1})});
    fleet.Add({.opened = VectorGraph(2, {1})});
    fleet.Settle();
    auto trainer = Connect(fleet);
    const TrainerSession session = VectorSession(*fleet.servers[0]);
    trainer->Open(session);
    trainer->Ask(session, 0);
    trainer->Ask(session, 1);
    RunFor(fleet, absl::Microseconds(seed * 100));
    fleet.Crash(*fleet.servers[1 + seed % 2]);
    Await(fleet, *trainer, 2);
    EXPECT_EQ(trainer->answer(0), kBatch0) << seed;
    EXPECT_EQ(trainer->answer(1), kBatch1) << seed;
  }
}

TEST_F(PeersTest, AFrozenPeerIsLeftForAnotherOwner) {
  SimFleet fleet(5);
  fleet.Add({.opened = VectorGraph(2, {0})});
  fleet.Add({.opened = VectorGraph(2, {1})});
  fleet.Add({.opened = VectorGraph(2, {1})});
  fleet.Settle();
  fleet.world.Freeze(fleet.servers[1]->executor->node());
  auto trainer = Connect(fleet);
  const TrainerSession session = VectorSession(*fleet.servers[0]);
  trainer->Open(session);
  for (uint64_t i : {0, 1}) trainer->Ask(session, i, 4096, 20000);
  Await(fleet, *trainer, 2);
  EXPECT_EQ(trainer->answer(0), kBatch0);
  EXPECT_EQ(trainer->answer(1), kBatch1);
  fleet.world.Thaw(fleet.servers[1]->executor->node());
}

TEST_F(PeersTest, AnErrorOfOneCallLeavesThePeersStreamToTheOthers) {
  SimFleet fleet(5);
  fleet.Add({.opened = VectorGraph(2, {0})});
  fleet.Add({.opened = VectorGraph(2, {1})});
  fleet.Settle();
  int calls = 0;
  bool left = false;
  ScopedFault fault("leaf.serve", [&] {
    return ++calls == 1 ? absl::InternalError("once") : absl::OkStatus();
  });
  fleet.world.set_each_step([&] {
    for (const auto& state : fleet.servers[0]->directory->States()) {
      left |= !state.healthy();
    }
  });
  auto trainer = Connect(fleet);
  const TrainerSession session = VectorSession(*fleet.servers[0]);
  trainer->Open(session);
  for (uint64_t i : {0, 1}) trainer->Ask(session, i);
  Await(fleet, *trainer, 2);
  EXPECT_EQ(trainer->answer(0), kBatch0);
  EXPECT_EQ(trainer->answer(1), kBatch1);
  EXPECT_GT(calls, 1);
  EXPECT_FALSE(left);
  fleet.world.set_each_step(nullptr);
}

TEST_F(PeersTest, ACancelledBatchCancelsItsCallAtThePeer) {
  ScriptedPeer peer;  // answers no leaf call
  peer.description.set_wire_version(kWireVersion);
  peer.description.set_graph_json(StarGraph({1})->schema_json());
  peer.description.set_incarnation(77);
  peer.description.add_partitions(1);
  SimFleet fleet(3);
  SimServer& server = fleet.Add({.opened = StarGraph({0})});
  fleet.network.Listen(fleet.world.AddNode("peer"), {"peer", 1}, &peer);
  server.directory->SetListed({{"peer", 1}});
  RunFor(fleet, absl::Milliseconds(100));
  auto trainer = Connect(fleet);
  const TrainerSession session = StarSession(server);
  trainer->Open(session);
  trainer->Ask(session, 0, 8192, 60'000);
  ASSERT_TRUE(fleet.world.RunUntil([&peer] { return !peer.calls.empty(); },
                                   absl::Seconds(1)));
  const CancelToken at_peer = peer.calls[0].cancel;
  EXPECT_FALSE(at_peer.cancelled());
  trainer->Cancel(0);
  Await(fleet, *trainer, 1);
  EXPECT_EQ(trainer->answer(0), "returned");
  RunFor(fleet, absl::Milliseconds(10));
  EXPECT_TRUE(at_peer.cancelled());
  EXPECT_EQ(peer.calls.size(), 1u);
}

TEST_F(PeersTest, APeerWithAnotherLayoutIsRefused) {
  SimFleet fleet(5);
  fleet.Add({.opened = VectorGraph(2, {0})});
  fleet.Add({.opened = VectorGraph(3, {1})});
  fleet.Introduce();
  RunFor(fleet, absl::Seconds(2));
  const auto states = fleet.servers[0]->directory->States();
  ASSERT_EQ(states.size(), 1u);
  EXPECT_FALSE(states[0].healthy());
  EXPECT_THAT(fleet.servers[0]->directory->Problems(),
              AllOf(HasSubstr("server1:1"), HasSubstr("layout digest")));
}

}  // namespace
}  // namespace tributary
