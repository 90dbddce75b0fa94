// How batches and servers end: cancels, dead trainers, drains.
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "sampler_server/testing/fleet_fixture.h"

namespace tributary {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::StartsWith;

using LifecycleTest = FleetFixture;

TEST_F(LifecycleTest, CancelledGrantsComeBack) {
  SimFleet fleet(3);
  SimServerOptions options{.opened = StarGraph({0})};
  options.admission.running = 1;
  fleet.Add(options);
  auto trainer = Connect(fleet);
  const TrainerSession session = StarSession(*fleet.servers[0]);
  trainer->Open(session);
  trainer->Ask(session, 0, 8192, 60000);  // waits for a peer
  trainer->Ask(session, 1, 8192, 60000);  // queued
  RunFor(fleet, absl::Milliseconds(50));
  trainer->Cancel(1);
  trainer->Cancel(0);
  trainer->Cancel(9);  // never granted
  Await(fleet, *trainer, 3);
  EXPECT_EQ(trainer->answer(0), "returned");
  EXPECT_EQ(trainer->answer(1), "returned");
  EXPECT_EQ(trainer->answer(9), "returned");
  RunFor(fleet, absl::Seconds(1));
  ExpectIdle(*fleet.servers[0]);
}

TEST_F(LifecycleTest, WhenATrainerDiesAllItHeldGoesBack) {
  for (uint64_t seed = 1; seed <= 8; ++seed) {
    SimFleet fleet(seed);
    fleet.Add({.opened = StarGraph({0})});
    fleet.Add({.opened = StarGraph({1})});
    fleet.Settle();
    SimExecutor* node = fleet.world.AddNode("doomed");
    auto trainer = ScriptedTrainer::Connect(fleet.network.TransportOf(node),
                                            fleet.servers[0]->address);
    const TrainerSession session = StarSession(*fleet.servers[0]);
    trainer->Open(session);
    for (uint64_t i = 0; i < 16; ++i) trainer->Ask(session, i, 8192);
    RunFor(fleet, absl::Microseconds(seed * 150));
    fleet.network.Crash(node);
    RunFor(fleet, absl::Seconds(12));
    for (auto& server : fleet.servers) ExpectIdle(*server);
  }
}

TEST_F(LifecycleTest, ADrainingServerFinishesTakesNoMoreAndStillServesPeers) {
  SimFleet fleet(3);
  fleet.Add({.opened = VectorGraph(2, {0})});
  fleet.Add({.opened = VectorGraph(2, {1})});
  fleet.Settle();
  SimServer& draining = *fleet.servers[0];
  const TrainerSession session = VectorSession(draining);
  auto trainer = Connect(fleet, 0);
  trainer->Open(session);
  trainer->Ask(session, 0);
  fleet.world.RunUntil([&] { return draining.service->active() > 0; },
                       absl::Seconds(1));
  bool drained = false;
  draining.service->Drain(draining.executor->Now() + absl::Seconds(30),
                          [&] { drained = true; });
  trainer->Ask(session, 1);
  Await(fleet, *trainer, 2);
  EXPECT_EQ(trainer->answer(0), kBatch0);
  EXPECT_THAT(trainer->answer(1), AllOf(StartsWith("error UNAVAILABLE"),
                                        HasSubstr("draining retry")));
  RunFor(fleet, absl::Seconds(1));
  EXPECT_TRUE(drained);
  auto other = Connect(fleet, 1);
  other->Open(session);
  other->Ask(session, 1);
  Await(fleet, *other, 1);
  EXPECT_EQ(other->answer(1), kBatch1);
}

TEST_F(LifecycleTest, ADrainEndsWhenItsGracePeriodDoes) {
  SimFleet fleet(3);
  fleet.Add({.opened = StarGraph({0})});  // the other partition is nowhere
  auto trainer = Connect(fleet);
  const TrainerSession session = StarSession(*fleet.servers[0]);
  trainer->Open(session);
  trainer->Ask(session, 0, 8192, 60000);
  RunFor(fleet, absl::Milliseconds(50));
  SimServer& server = *fleet.servers[0];
  bool drained = false;
  server.service->Drain(server.executor->Now() + absl::Seconds(2),
                        [&] { drained = true; });
  RunFor(fleet, absl::Milliseconds(1900));
  EXPECT_FALSE(drained);
  RunFor(fleet, absl::Seconds(1));
  EXPECT_TRUE(drained);
  EXPECT_TRUE(trainer->closed());
  ExpectIdle(server);
}

}  // namespace
}  // namespace tributary
