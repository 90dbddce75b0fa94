// What a server answers a trainer: batches, refusals, progress.
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "channel/message.h"
#include "common/batch/batch_view.h"
#include "common/io/buffer.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "sampler_server/testing/fleet_fixture.h"

namespace tributary {
namespace {

using ::testing::AllOf;
using ::testing::AnyOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Pair;
using ::testing::StartsWith;

using ProtocolTest = FleetFixture;

void ReportWait(ScriptedTrainer& trainer, uint32_t permille) {
  v1::WaitReport report;
  report.set_wait_permille(permille);
  trainer.Send(MessageKind::kWaitReport, report.SerializeAsString());
}

TEST_F(ProtocolTest, BatchesAreTheSameForAnyPartitionsAndServers) {
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

class LentRoom final : public SharedRoom {
 public:
  absl::Span<uint8_t> bytes() override { return room_.span(); }

 private:
  AlignedBuffer room_{1 << 16};
};

// To a trainer that does not know of compact edges, a server is one that does
// not either.
TEST_F(ProtocolTest, EdgesAreCompactOnlyWhereAsked) {
  GraphSpec graph;
  graph.num_nodes = 80;
  for (int64_t e = 0; e < 800; ++e) graph.edges.push_back({e * 7 % 80, e % 80});
  SimFleet fleet(1);
  fleet.Add({.graph = graph});
  auto trainer = Connect(fleet);
  SpecOptions options;
  options.num_neighbors = {10, 10};
  options.batch_size = 8;
  const TrainerSession session = MakeSession(fleet.servers[0]->graph->schema(),
                                             options, {0, 1, 2, 3, 4, 5, 6, 7});
  trainer->Open(session);
  v1::Credit credit =
      ScriptedTrainer::MakeCredit(session, 0, 1 << 16, /*timeout_ms=*/10'000);
  trainer->Send(credit);
  credit.set_grant(1);
  credit.set_compact(true);
  trainer->Send(credit);
  Await(fleet, *trainer, 2);
  EXPECT_THAT(trainer->answer(0), StartsWith("ready "));
  ASSERT_THAT(trainer->answer(1), StartsWith("compact "));
  EXPECT_GT(std::stoul(trainer->answer(1).substr(8)), 1000u);
  // Nobody would expand them in a room that the server writes into itself.
  fleet.network.set_carries_rooms(true);
  const auto room = std::make_shared<LentRoom>();
  credit.set_grant(2);
  trainer->Send(credit, room);
  Await(fleet, *trainer, 3);
  ASSERT_THAT(trainer->answer(2), StartsWith("filled "));
  const auto view = BatchView::Parse(
      room->bytes().first(std::stoul(trainer->answer(2).substr(7))));
  ASSERT_TRUE(view.ok()) << view.status();
  EXPECT_EQ(absl::StrCat("ready ", ToHex(view->Digest())), trainer->answer(0));
  RunFor(fleet, absl::Seconds(1));
  ExpectIdle(*fleet.servers[0]);
}

TEST_F(ProtocolTest, AnUnknownSessionIsAskedForAgain) {
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
  // Another job opens it for itself.
  auto other = Connect(fleet);
  other->Ask(session, 0);
  Await(fleet, *other, 1);
  EXPECT_EQ(other->answer(0), "unknown");
  other->Open(session, "other");
  other->Ask(session, 1);
  Await(fleet, *other, 2);
  EXPECT_EQ(other->answer(1), kBatch1);
}

TEST_F(ProtocolTest, ATooSmallCreditIsAnsweredByWhatItNeeds) {
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

TEST_F(ProtocolTest, WrongCreditsAreRefusedForGood) {
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

TEST_F(ProtocolTest, WhatBreaksTheProtocolClosesTheStream) {
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
  expect_closed(kInvalid, [](ScriptedTrainer& trainer) {
    ReportWait(trainer, 1001);  // more than a whole minute
  });
  RunFor(fleet, absl::Seconds(1));
  ExpectIdle(*fleet.servers[0]);
}

TEST_F(ProtocolTest, TheWaitOfTrainersIsKnownByJobWhileTheyReport) {
  SimFleet fleet(1);
  fleet.Add({.opened = VectorGraph(1)});
  const auto waits = [&] { return fleet.servers[0]->service->trainer_waits(); };
  const TrainerSession session = VectorSession(*fleet.servers[0]);
  std::vector<std::shared_ptr<ScriptedTrainer>> ranks;
  for (uint32_t permille : {250, 600, 100}) {
    ranks.push_back(Connect(fleet));
    ranks.back()->Open(session, permille == 100 ? "b" : "a");
    ReportWait(*ranks.back(), permille);
  }
  const auto pass = [&](absl::Duration time) {
    bool due = false;
    fleet.world.Schedule(-1, fleet.world.now() + time, [&due] { due = true; });
    fleet.world.RunUntil([&due] { return due; }, 2 * time);
  };
  pass(absl::Seconds(1));
  EXPECT_THAT(waits(), ElementsAre(Pair("a", 0.6), Pair("b", 0.1)));
  ranks[1]->Close();
  pass(absl::Seconds(40));
  EXPECT_THAT(waits(), ElementsAre(Pair("a", 0.25), Pair("b", 0.1)));
  ReportWait(*ranks[2], 1000);
  pass(absl::Seconds(40));  // the other one has said nothing since
  EXPECT_THAT(waits(), ElementsAre(Pair("b", 1)));
  EXPECT_FALSE(ranks[0]->closed());
  ranks[0]->Ask(session, 0);  // nor does it change what it gets
  Await(fleet, *ranks[0], 1);
  EXPECT_EQ(ranks[0]->answer(0), kBatch0);
}

TEST_F(ProtocolTest, ManyCreditsStayWithinTheBudget) {
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

TEST_F(ProtocolTest, TooManyCreditsAreRefusedForNow) {
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

TEST_F(ProtocolTest, ProgressNamesTheStageOfEachPendingGrant) {
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

}  // namespace
}  // namespace tributary
