// Whole servers: batches, refusals, cancels, drains, peers that die.
#include <map>
#include <string>
#include <tuple>
#include <vector>

#include "absl/strings/str_cat.h"
#include "common/fault_point.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "partition/format/testing/graph_builder.h"
#include "sampler_server/testing/scripted_trainer.h"
#include "sampler_server/testing/sim_fleet.h"

namespace tributary {
namespace {

using ::testing::AllOf;
using ::testing::AnyOf;
using ::testing::Each;
using ::testing::HasSubstr;
using ::testing::StartsWith;

// The graph of the vectors in docs/sampling.md, and its first two batches.
constexpr char kBatch0[] =
    "ready 40f3931e79d7981eab5280634bd5c838e70fd027f06808b251600db22e804e68";
constexpr char kBatch1[] =
    "ready 1814728e52adf5b868d94eb58f194146e7abf74beff49ab192bbf29f39928803";

using GraphKey = std::tuple<std::string, uint32_t, std::vector<uint32_t>>;

// Writing a graph flushes it to disk: each is made once for all tests.
std::shared_ptr<const Graph> Remember(const GraphKey& key,
                                      const GraphSpec& spec) {
  static auto* const graphs =
      new std::map<GraphKey, std::shared_ptr<const Graph>>;
  std::shared_ptr<const Graph>& graph = (*graphs)[key];
  if (graph == nullptr) graph = BuildGraph(spec, {std::get<2>(key)});
  return graph;
}

// `mapped`: the partitions that are here; empty: all.
std::shared_ptr<const Graph> VectorGraph(uint32_t num_partitions,
                                         std::vector<uint32_t> mapped = {}) {
  GraphSpec graph;
  graph.num_nodes = 7;
  graph.edges = {{1, 0}, {2, 0}, {3, 0}, {4, 0}, {2, 0}, {0, 1},
                 {3, 1}, {5, 2}, {5, 5}, {4, 3}, {0, 3}, {1, 3}};
  graph.num_partitions = num_partitions;
  return Remember({"vectors", num_partitions, std::move(mapped)}, graph);
}

// A star in two partitions: node 0 has 50 neighbours, each with features of
// 64 bytes.
std::shared_ptr<const Graph> StarGraph(std::vector<uint32_t> mapped) {
  GraphSpec graph;
  graph.num_nodes = 51;
  for (int64_t i = 1; i <= 50; ++i) graph.edges.push_back({i, 0});
  graph.x_dim = 16;
  graph.x.assign(graph.num_nodes * graph.x_dim, 0.5f);
  graph.num_partitions = 2;
  return Remember({"star", 2, std::move(mapped)}, graph);
}

TrainerSession VectorSession(const SimServer& server) {
  SpecOptions options;
  options.num_neighbors.by_default = {2, 2};
  options.batch_size = 3;
  options.random_seed = 7;
  return MakeSession(server.graph->schema(), options, {0, 3, 1, 6});
}

TrainerSession StarSession(const SimServer& server) {
  SpecOptions options;
  options.num_neighbors.by_default = {-1};
  options.batch_size = 1;
  options.shuffle = ShuffleMode::kNone;
  return MakeSession(server.graph->schema(), options,
                     std::vector<int64_t>(16, 0));
}

class FleetTest : public testing::Test {
 protected:
  std::shared_ptr<ScriptedTrainer> Connect(SimFleet& fleet, int server = 0) {
    SimExecutor* node = fleet.world.AddNode("trainer");
    return ScriptedTrainer::Connect(fleet.network.TransportOf(node),
                                    fleet.servers[server]->address);
  }
  // Until `trainer` has so many answers, or 30 s have passed.
  void Await(SimFleet& fleet, const ScriptedTrainer& trainer, size_t answers) {
    fleet.world.RunUntil([&] { return trainer.answers() >= answers; },
                         absl::Seconds(30));
  }
  void RunFor(SimFleet& fleet, absl::Duration time) {
    fleet.world.RunUntil([] { return false; }, time);
  }
  // All that a server held for batches and calls has gone back.
  void ExpectIdle(const SimServer& server) {
    EXPECT_EQ(server.service->budget().used(), 0u);
    EXPECT_EQ(server.service->leaf_budget().used(), 0u);
    EXPECT_EQ(server.service->active(), 0u);
    EXPECT_EQ(server.service->queued(), 0u);
    EXPECT_LE(server.service->budget().peak(),
              server.service->budget().limit());
  }
};

TEST_F(FleetTest, BatchesAreTheSameForAnyPartitionsAndServers) {
  for (uint32_t partitions : {1, 2, 3}) {
    for (uint32_t num_servers = 1; num_servers <= partitions; ++num_servers) {
      SCOPED_TRACE(absl::StrCat(partitions, " on ", num_servers));
      SimFleet fleet(partitions * 10 + num_servers);
      for (uint32_t s = 0; s < num_servers; ++s) {
        std::vector<uint32_t> mine;
        for (uint32_t p = s; p < partitions; p += num_servers) {
          mine.push_back(p);
        }
        fleet.Add({.opened = VectorGraph(partitions, mine)});
      }
      fleet.Settle();
      for (uint32_t s = 0; s < num_servers; ++s) {
        auto trainer = Connect(fleet, s);
        const TrainerSession session = VectorSession(*fleet.servers[s]);
        trainer->Open(session);
        trainer->Ask(session, 0);
        trainer->Ask(session, 1);
        Await(fleet, *trainer, 2);
        EXPECT_EQ(trainer->answer(0), kBatch0);
        EXPECT_EQ(trainer->answer(1), kBatch1);
      }
      RunFor(fleet, absl::Seconds(1));
      for (auto& server : fleet.servers) ExpectIdle(*server);
    }
  }
}

TEST_F(FleetTest, AnUnknownSessionIsAskedForAgain) {
  SimFleet fleet(1);
  fleet.Add({.opened = VectorGraph(1)});
  auto trainer = Connect(fleet);
  const TrainerSession session = VectorSession(*fleet.servers[0]);
  trainer->Ask(session, 0);
  Await(fleet, *trainer, 1);
  EXPECT_EQ(trainer->answer(0), "unknown");
  trainer->Open(session);
  trainer->Ask(session, 1);
  Await(fleet, *trainer, 2);
  EXPECT_EQ(trainer->answer(1), kBatch1);
  // Streams share what a server knows.
  auto other = Connect(fleet);
  other->Ask(session, 0);
  Await(fleet, *other, 1);
  EXPECT_EQ(other->answer(0), kBatch0);
}

TEST_F(FleetTest, ATooSmallCreditIsAnsweredByWhatItNeeds) {
  SimFleet fleet(1);
  fleet.Add({.opened = VectorGraph(1)});
  auto trainer = Connect(fleet);
  const TrainerSession session = VectorSession(*fleet.servers[0]);
  trainer->Open(session);
  trainer->Ask(session, 0, 64);
  Await(fleet, *trainer, 1);
  ASSERT_THAT(trainer->answer(0), StartsWith("needs "));
  EXPECT_GT(std::stoul(trainer->answer(0).substr(6)), 64u);
  ExpectIdle(*fleet.servers[0]);
}

TEST_F(FleetTest, WrongCreditsAreRefusedForGood) {
  SimFleet fleet(1);
  fleet.Add({.opened = VectorGraph(1)});
  auto trainer = Connect(fleet);
  const TrainerSession session = VectorSession(*fleet.servers[0]);
  trainer->Open(session);
  const v1::Credit good = ScriptedTrainer::MakeCredit(session, 0, 4096, 1000);
  std::vector<v1::Credit> bad(8, good);
  for (size_t i = 0; i < bad.size(); ++i) bad[i].set_grant(i);
  bad[0].set_max_bytes(0);
  bad[1].set_timeout_ms(0);
  bad[2].clear_original_id();
  bad[3].clear_input_number();
  bad[4].set_original_id(0, uint64_t{1} << 63);
  bad[5].set_input_number(0, 4);  // the list has 4
  bad[6].set_original_id(0, 7);   // the graph has 7 nodes
  bad[7].set_max_bytes(uint64_t{1} << 63);
  for (const v1::Credit& credit : bad) trainer->Send(credit);
  Await(fleet, *trainer, bad.size());
  for (size_t i = 0; i < bad.size(); ++i) {
    EXPECT_THAT(trainer->answer(i), AnyOf(StartsWith("error INVALID_ARGUMENT"),
                                          StartsWith("error OUT_OF_RANGE")))
        << i;
    EXPECT_THAT(trainer->answer(i), Not(HasSubstr(" retry"))) << i;
  }
  EXPECT_THAT(trainer->answer(7), HasSubstr("--memory-budget"));
  EXPECT_FALSE(trainer->closed());
  ExpectIdle(*fleet.servers[0]);
}

TEST_F(FleetTest, WhatBreaksTheProtocolClosesTheStream) {
  SimFleet fleet(1);
  fleet.Add({.opened = VectorGraph(1)});
  const TrainerSession session = VectorSession(*fleet.servers[0]);
  auto expect_closed = [&](absl::StatusCode code, auto script) {
    auto trainer = Connect(fleet);
    script(*trainer);
    fleet.world.RunUntil([&] { return trainer->closed(); }, absl::Seconds(5));
    EXPECT_TRUE(trainer->closed());
    EXPECT_EQ(trainer->why_closed().code(), code) << trainer->why_closed();
  };
  const auto kInvalid = absl::StatusCode::kInvalidArgument;
  expect_closed(kInvalid, [](ScriptedTrainer& trainer) {
    trainer.Send(MessageKind::kCredit, "\xff\xff\xff");
  });
  expect_closed(kInvalid, [](ScriptedTrainer& trainer) {
    trainer.Send(MessageKind::kDescribeRequest, "");
  });
  expect_closed(kInvalid, [&](ScriptedTrainer& trainer) {
    TrainerSession broken = session;
    broken.spec = "no specification";
    trainer.Open(broken);
  });
  expect_closed(kInvalid, [&](ScriptedTrainer& trainer) {
    trainer.Open(session);
    trainer.Ask(session, 0);
    trainer.Ask(session, 0);  // the same grant, while it is pending
  });
  expect_closed(
      absl::StatusCode::kFailedPrecondition, [](ScriptedTrainer& trainer) {
        v1::OpenSession open;
        open.set_wire_version(99);
        trainer.Send(MessageKind::kOpenSession, open.SerializeAsString());
      });
  RunFor(fleet, absl::Seconds(1));
  ExpectIdle(*fleet.servers[0]);
}

TEST_F(FleetTest, ManyCreditsStayWithinTheBudget) {
  SimFleet fleet(3);
  SimServerOptions options{.opened = StarGraph({0})};
  options.memory_budget = 40000;  // two credits of 8 KiB and a bit
  fleet.Add(options);
  options.opened = StarGraph({1});
  fleet.Add(options);
  fleet.Settle();
  auto trainer = Connect(fleet);
  const TrainerSession session = StarSession(*fleet.servers[0]);
  trainer->Open(session);
  for (uint64_t i = 0; i < 16; ++i) trainer->Ask(session, i, 8192);
  Await(fleet, *trainer, 16);
  for (uint64_t i = 0; i < 16; ++i) {
    EXPECT_THAT(trainer->answer(i), StartsWith("ready ")) << i;
  }
  RunFor(fleet, absl::Seconds(1));
  ExpectIdle(*fleet.servers[0]);
  EXPECT_GE(fleet.servers[0]->service->budget().peak(), 2 * 8192u);
}

TEST_F(FleetTest, TooManyCreditsAreRefusedForNow) {
  SimFleet fleet(3);
  SimServerOptions options{.opened = StarGraph({0})};
  options.admission = {.running = 1, .running_per_stream = 1, .queued = 3};
  fleet.Add(options);  // the other partition is nowhere: tasks wait
  auto trainer = Connect(fleet);
  const TrainerSession session = StarSession(*fleet.servers[0]);
  trainer->Open(session);
  for (uint64_t i = 0; i < 8; ++i) trainer->Ask(session, i, 8192, 3000);
  Await(fleet, *trainer, 4);
  int refused = 0;
  for (uint64_t i = 0; i < 8; ++i) {
    if (trainer->answer(i).empty()) continue;
    EXPECT_THAT(
        trainer->answer(i),
        AllOf(StartsWith("error RESOURCE_EXHAUSTED"), HasSubstr(" retry")));
    ++refused;
  }
  EXPECT_EQ(refused, 4);
  Await(fleet, *trainer, 8);  // the rest runs out of time
  RunFor(fleet, absl::Seconds(1));
  ExpectIdle(*fleet.servers[0]);
}

TEST_F(FleetTest, ProgressNamesTheStageOfEachPendingGrant) {
  SimFleet fleet(3);
  SimServerOptions options{.opened = StarGraph({0})};
  options.admission.running = 1;
  fleet.Add(options);
  auto trainer = Connect(fleet);
  const TrainerSession session = StarSession(*fleet.servers[0]);
  trainer->Open(session);
  trainer->Ask(session, 0, 8192, 1000);
  trainer->Ask(session, 1, 8192, 60000);
  RunFor(fleet, absl::Milliseconds(500));
  EXPECT_EQ(trainer->stages(0).back(), v1::STAGE_WAITING_FOR_PEER);
  EXPECT_EQ(trainer->stages(1).back(), v1::STAGE_QUEUED);
  trainer->Close();
  RunFor(fleet, absl::Seconds(1));
  ExpectIdle(*fleet.servers[0]);
}

TEST_F(FleetTest, ALoneOwnerThatIsDeadIsNamedByItsPartition) {
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

TEST_F(FleetTest, WhenAPeerDiesAnotherOwnerIsAsked) {
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

TEST_F(FleetTest, AFrozenPeerIsLeftForAnotherOwner) {
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

TEST_F(FleetTest, AnErrorOfOneCallLeavesThePeersStreamToTheOthers) {
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

TEST_F(FleetTest, APeerWithAnotherLayoutIsRefused) {
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

TEST_F(FleetTest, CancelledGrantsComeBack) {
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

TEST_F(FleetTest, WhenATrainerDiesAllItHeldGoesBack) {
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

TEST_F(FleetTest, ADrainingServerFinishesTakesNoMoreAndStillServesPeers) {
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

TEST_F(FleetTest, ADrainEndsWhenItsGracePeriodDoes) {
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
