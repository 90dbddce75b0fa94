// Several graphs in one server: which one a message is for, and how one of them
// goes while others stay.
#include "absl/strings/str_cat.h"
#include "channel/call_client.h"
#include "channel/envelope.h"
#include "common/proto/wire.pb.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "sampler_server/service/catalog/graph_catalog.h"
#include "sampler_server/testing/fleet_fixture.h"

namespace tributary {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::StartsWith;

constexpr absl::Duration kGrace = absl::Seconds(30);

class GraphsTest : public FleetFixture {
 protected:
  // Two servers with a partition each of both graphs; the star comes second.
  static void AddBoth(SimFleet& fleet) {
    for (uint32_t p = 0; p < 2; ++p) {
      SimServer& server = fleet.Add({.opened = VectorGraph(2, {p})});
      star_ = StarGraph({p});
      fleet.AddGraph(server, star_);
    }
    fleet.Settle();
  }
  static TrainerSession StarSession() {
    SimServer server;
    server.graph = star_;
    return tributary::StarSession(server);
  }
  // The star's first batch, where it is served alone.
  static std::string StarAlone(GraphsTest& test) {
    SimFleet fleet(9);
    for (uint32_t p = 0; p < 2; ++p) fleet.Add({.opened = StarGraph({p})});
    fleet.Settle();
    return test.Ask(fleet, 0, tributary::StarSession(*fleet.servers[0]), 0);
  }
  // The answer to one batch, on a stream of its own.
  std::string Ask(SimFleet& fleet, int server, const TrainerSession& session,
                  uint64_t index) {
    auto trainer = Connect(fleet, server);
    trainer->Open(session);
    trainer->Ask(session, index, 8192, 20000);
    Await(fleet, *trainer, 1);
    return trainer->answer(index);
  }
  static const Sha256Digest& VectorLayout(const SimFleet& fleet) {
    return fleet.servers[0]->graph->schema().layout_digest;
  }

  static std::shared_ptr<const Graph> star_;
};

std::shared_ptr<const Graph> GraphsTest::star_;

TEST_F(GraphsTest, EachSessionHasTheBatchesOfItsGraph) {
  const std::string star = StarAlone(*this);
  ASSERT_THAT(star, StartsWith("ready "));
  SimFleet fleet(3);
  AddBoth(fleet);
  for (int server = 0; server < 2; ++server) {
    auto trainer = Connect(fleet, server);
    const TrainerSession vectors = VectorSession(*fleet.servers[0]);
    const TrainerSession stars = StarSession();
    // On one stream, too.
    trainer->Open(vectors);
    trainer->Open(stars);
    v1::Credit credit = ScriptedTrainer::MakeCredit(stars, 0, 8192, 10000);
    credit.set_grant(7);
    trainer->Send(credit);
    trainer->Ask(vectors, 0);
    trainer->Ask(vectors, 1);
    Await(fleet, *trainer, 3);
    EXPECT_EQ(trainer->answer(0), kBatch0);
    EXPECT_EQ(trainer->answer(1), kBatch1);
    EXPECT_EQ(trainer->answer(7), star);
  }
}

TEST_F(GraphsTest, ARetiringGraphTakesNoMoreAndAnswersItsPeersForAWhile) {
  SimFleet fleet(3);
  AddBoth(fleet);
  SamplerService& service = *fleet.servers[0]->service;
  const TrainerSession session = VectorSession(*fleet.servers[0]);
  auto trainer = Connect(fleet, 0);
  trainer->Open(session);
  trainer->Ask(session, 0);
  fleet.world.RunUntil([&] { return service.active() > 0; }, absl::Seconds(1));
  bool gone = false;
  ASSERT_TRUE(service
                  .RetireGraph(VectorLayout(fleet),
                               fleet.servers[0]->executor->Now() + kGrace,
                               [&] { gone = true; })
                  .ok());
  trainer->Ask(session, 1);
  Await(fleet, *trainer, 2);
  EXPECT_EQ(trainer->answer(0), kBatch0);
  EXPECT_THAT(trainer->answer(1), AllOf(StartsWith("error UNAVAILABLE"),
                                        HasSubstr("is being retired retry")));
  EXPECT_FALSE(gone);
  EXPECT_EQ(Ask(fleet, 1, session, 1), kBatch1);

  RunFor(fleet, kGrace);
  EXPECT_TRUE(gone);
  ASSERT_EQ(service.graphs().size(), 1u);
  // Nobody answers for its partition any more, and nobody is told otherwise.
  EXPECT_THAT(Ask(fleet, 1, session, 1), HasSubstr("partition 0"));
  trainer->Ask(session, 2);
  Await(fleet, *trainer, 3);
  EXPECT_EQ(trainer->answer(2), "unknown");
  trainer->Open(session);
  RunFor(fleet, absl::Seconds(1));
  EXPECT_TRUE(trainer->closed());
  EXPECT_THAT(Ask(fleet, 0, StarSession(), 0), StartsWith("ready "));
}

TEST_F(GraphsTest, WhatIsUnderWayAtTheEndIsFinished) {
  SimFleet fleet(3);
  SimServer& server = fleet.Add({.opened = StarGraph({0})});
  auto trainer = Connect(fleet);
  const TrainerSession session = tributary::StarSession(server);
  trainer->Open(session);
  trainer->Ask(session, 0, 8192, 60000);  // waits for a peer, who comes later
  RunFor(fleet, absl::Milliseconds(50));
  bool gone = false;
  ASSERT_TRUE(server.service
                  ->RetireGraph(server.graph->schema().layout_digest,
                                server.executor->Now() + absl::Seconds(2),
                                [&] { gone = true; })
                  .ok());
  RunFor(fleet, absl::Seconds(10));
  EXPECT_FALSE(gone);
  EXPECT_TRUE(server.service->graphs().empty());
  EXPECT_EQ(trainer->answers(), 0u);
  fleet.Add({.opened = StarGraph({1})});
  fleet.Introduce();
  Await(fleet, *trainer, 1);
  EXPECT_THAT(trainer->answer(0), StartsWith("ready "));
  RunFor(fleet, absl::Seconds(1));
  EXPECT_TRUE(gone);
  ExpectIdle(server);
}

TEST_F(GraphsTest, AGraphIsRetiredOnceAndMayComeBack) {
  SimFleet fleet(3);
  AddBoth(fleet);
  SimServer& server = *fleet.servers[0];
  const auto retire = [&] {
    return server.service->RetireGraph(VectorLayout(fleet),
                                       server.executor->Now() + kGrace, [] {});
  };
  EXPECT_TRUE(retire().ok());
  EXPECT_EQ(retire().code(), absl::StatusCode::kNotFound);
  EXPECT_EQ(server.service->AddGraph({server.graph}).code(),
            absl::StatusCode::kAlreadyExists);
  RunFor(fleet, kGrace + absl::Seconds(1));
  EXPECT_EQ(retire().code(), absl::StatusCode::kNotFound);
  fleet.AddGraph(server, server.graph);
  RunFor(fleet, absl::Seconds(3));
  const TrainerSession session = VectorSession(server);
  EXPECT_EQ(Ask(fleet, 0, session, 0), kBatch0);
  EXPECT_EQ(Ask(fleet, 1, session, 1), kBatch1);
}

TEST_F(GraphsTest, DescribeNamesAsManyAsThereMayBe) {
  SimFleet fleet(3);
  SimServer& server = fleet.Add({.opened = VectorGraph(1)});
  for (size_t i = 1; i < GraphCatalog::kMaxGraphs; ++i) {
    GraphSpec spec{.num_nodes = 2, .edges = {{0, 1}}};
    spec.name = absl::StrCat(std::string(200, 'g'), i);
    fleet.AddGraph(server, BuildGraph(spec));
  }
  SimExecutor* asker = fleet.world.AddNode("asker");
  CallClient client(fleet.network.TransportOf(asker), server.address,
                    StreamMethod::kControl, asker);
  v1::DescribeRequest request;
  request.set_wire_version(kWireVersion);
  request.set_any(true);
  absl::StatusOr<CallReply> reply = absl::UnknownError("none yet");
  client.Call(
      {MessageKind::kDescribeRequest, request.SerializeAsString()},
      asker->Now() + absl::Seconds(10), 0,
      [&](absl::StatusOr<CallReply> answer) { reply = std::move(answer); });
  RunFor(fleet, absl::Seconds(1));
  ASSERT_TRUE(reply.ok()) << reply.status();
  v1::DescribeReply told;
  ASSERT_TRUE(told.ParseFromString(reply->header));
  ASSERT_EQ(told.graphs_size(), static_cast<int>(GraphCatalog::kMaxGraphs));
  EXPECT_EQ(told.graphs(63).name(), std::string(200, 'g') + "63");
  EXPECT_THAT(told.graph_json(), HasSubstr(told.graphs(63).name()));
}

}  // namespace
}  // namespace tributary
