// Servers whose features are in files: what they answer, and what goes on while
// a disk does not.
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "channel/in_process_transport.h"
#include "common/runtime/thread_pool.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "partition/format/testing/graph_builder.h"
#include "sampler_server/rows/row_queue.h"
#include "sampler_server/rows/testing/held_pieces.h"
#include "sampler_server/testing/fleet_fixture.h"

namespace tributary {
namespace {

using ::testing::AllOf;
using ::testing::Contains;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

constexpr std::chrono::seconds kTimeout{30};

// A star: node 0 has 50 neighbours; rows of x hold 16 numbers of their node's,
// those of edges two.
GraphSpec Star(uint32_t partitions) {
  GraphSpec graph;
  graph.num_nodes = 51;
  graph.num_partitions = partitions;
  graph.x_dim = 16;
  graph.edge_attr_dim = 2;
  for (int64_t i = 1; i <= 50; ++i) graph.edges.push_back({i, 0});
  for (int i = 0; i < 51 * 16; ++i) graph.x.push_back(static_cast<float>(i));
  for (int i = 0; i < 50 * 2; ++i) {
    graph.edge_attr.push_back(static_cast<float>(-i));
  }
  return graph;
}

TrainerSession SessionOf(const Graph& graph, bool features) {
  SpecOptions options;
  options.num_neighbors = {-1};
  options.batch_size = 1;
  options.shuffle = ShuffleMode::kNone;
  if (!features) options.collect = CollectedColumns::None();
  return MakeSession(graph.schema(), options, std::vector<int64_t>(16, 0));
}

class ColdRowsTest : public FleetFixture {
 protected:
  ColdRowsTest() : folder_(Folder().File("graph")) {
    WriteGraphTo(Star(2), folder_);
  }

  std::shared_ptr<const Graph> Open(std::vector<uint32_t> partitions,
                                    FeatureMemory features) {
    return Graph::Open(folder_, {.partitions = std::move(partitions),
                                 .features = features})
        .value();
  }
  std::shared_ptr<const Graph> Paged(std::vector<uint32_t> partitions) {
    return Open(std::move(partitions), FeatureMemory::kPaged);
  }
  SimServerOptions PagedServer(std::vector<uint32_t> partitions) {
    return {.opened = Paged(std::move(partitions)),
            .rows = [this](SimExecutor*) {
              return std::make_shared<RowQueue>(&disk_, RowQueueLimits());
            }};
  }
  // What the batch is when all is in memory.
  std::string Expected() {
    SimFleet fleet(1);
    fleet.Add({.opened = Open({}, FeatureMemory::kResident)});
    auto trainer = Connect(fleet);
    const auto session = SessionOf(*fleet.servers[0]->graph, true);
    trainer->Open(session);
    trainer->Ask(session, 0, 16384);
    Await(fleet, *trainer, 1);
    EXPECT_THAT(trainer->answer(0), StartsWith("ready "));
    return trainer->answer(0);
  }
  // Runs the world until a piece is held.
  void AwaitPiece(SimFleet& fleet) {
    ASSERT_TRUE(fleet.world.RunUntil([this] { return disk_.size() > 0; },
                                     absl::Seconds(5)));
  }
  // Answers whatever is asked until `trainer` has so many answers.
  void Serve(SimFleet& fleet, const ScriptedTrainer& trainer, size_t answers) {
    fleet.world.RunUntil(
        [&] {
          disk_.AnswerAll();
          return trainer.answers() >= answers;
        },
        absl::Seconds(30));
  }

  const TemporaryFolder& Folder() const { return temporary_; }
  const TemporaryFolder temporary_;
  const std::string folder_;
  HeldPieces disk_;
};

TEST_F(ColdRowsTest, ABatchWaitsForTheDiskAndIsTheSame) {
  SimFleet fleet(2);
  fleet.Add(PagedServer({}));
  auto trainer = Connect(fleet);
  const auto session = SessionOf(*fleet.servers[0]->graph, true);
  trainer->Open(session);
  trainer->Ask(session, 0, 16384);
  AwaitPiece(fleet);
  RunFor(fleet, absl::Milliseconds(500));
  EXPECT_EQ(trainer->answer(0), "");
  EXPECT_THAT(trainer->stages(0), Contains(v1::STAGE_WAITING_FOR_DISK));
  EXPECT_EQ(disk_.size(), 8u);  // of 16 rows at most: 26 + 25 nodes, 50 edges
  Serve(fleet, *trainer, 1);
  EXPECT_EQ(trainer->answer(0), Expected());
  RunFor(fleet, absl::Seconds(1));
  ExpectIdle(*fleet.servers[0]);
}

// One server has half of the rows: a peer's request waits for its disk too.
TEST_F(ColdRowsTest, APeersRowsComeFromItsDisk) {
  SimFleet fleet(3);
  fleet.Add({.opened = Open({0}, FeatureMemory::kResident)});
  fleet.Add(PagedServer({1}));
  fleet.Settle();
  auto trainer = Connect(fleet);
  const auto session = SessionOf(*fleet.servers[0]->graph, true);
  trainer->Open(session);
  trainer->Ask(session, 0, 16384);
  AwaitPiece(fleet);
  EXPECT_GT(fleet.servers[1]->service->leaf_budget().used(), 0u);
  // Meanwhile the peer answers all else: this session's edges are all here, and
  // its rows' original ids there.
  const auto bare = SessionOf(*fleet.servers[0]->graph, false);
  auto other = Connect(fleet);
  other->Open(bare);
  other->Ask(bare, 0, 16384);
  Await(fleet, *other, 1);
  EXPECT_THAT(other->answer(0), StartsWith("ready "));
  EXPECT_EQ(trainer->answer(0), "");
  Serve(fleet, *trainer, 1);
  EXPECT_EQ(trainer->answer(0), Expected());
  RunFor(fleet, absl::Seconds(1));
  for (const auto& server : fleet.servers) ExpectIdle(*server);
}

TEST_F(ColdRowsTest, ADiskErrorIsTheBatchsAndMayPass) {
  SimFleet fleet(4);
  fleet.Add(PagedServer({}));
  auto trainer = Connect(fleet);
  const auto session = SessionOf(*fleet.servers[0]->graph, true);
  trainer->Open(session);
  trainer->Ask(session, 0, 16384);
  AwaitPiece(fleet);
  disk_.Fail(0, absl::AbortedError("cannot read row 3 of x.npy: I/O error"));
  Serve(fleet, *trainer, 1);
  EXPECT_THAT(trainer->answer(0), AllOf(StartsWith("error ABORTED "),
                                        HasSubstr("cannot read row 3 of x.npy"),
                                        EndsWith(" retry")));
  trainer->Ask(session, 1, 16384);
  Serve(fleet, *trainer, 2);
  EXPECT_THAT(trainer->answer(1), StartsWith("ready "));
  RunFor(fleet, absl::Seconds(1));
  ExpectIdle(*fleet.servers[0]);
}

TEST_F(ColdRowsTest, ABatchOfAFileThatWasCutIsAnErrorOfThisServer) {
  SimFleet fleet(5);
  fleet.Add(PagedServer({}));
  const std::string path = folder_ + "/part-1/nodes/node/x.npy";
  std::filesystem::resize_file(path, 200);
  auto trainer = Connect(fleet);
  const auto session = SessionOf(*fleet.servers[0]->graph, true);
  trainer->Open(session);
  trainer->Ask(session, 0, 16384);
  Serve(fleet, *trainer, 1);
  EXPECT_THAT(trainer->answer(0),
              AllOf(StartsWith("error DATA_LOSS "), HasSubstr(path),
                    Not(EndsWith(" retry"))));
}

// The room goes back when nobody writes into it any more, not before; and what
// was not read yet is not read.
TEST_F(ColdRowsTest, ACancelledBatchGivesItsRoomBackAfterTheDisk) {
  SimFleet fleet(6);
  SimServerOptions options = PagedServer({});
  options.rows = [this](SimExecutor*) {
    return std::make_shared<RowQueue>(&disk_, RowQueueLimits{.pieces = 1});
  };
  fleet.Add(options);
  auto trainer = Connect(fleet);
  const auto session = SessionOf(*fleet.servers[0]->graph, true);
  trainer->Open(session);
  trainer->Ask(session, 0, 16384);
  AwaitPiece(fleet);
  trainer->Cancel(0);
  RunFor(fleet, absl::Seconds(1));
  EXPECT_EQ(trainer->answer(0), "");
  EXPECT_GT(fleet.servers[0]->service->budget().used(), 0u);
  ASSERT_EQ(disk_.size(), 1u);
  disk_.Answer(0);
  EXPECT_EQ(disk_.size(), 0u);
  RunFor(fleet, absl::Seconds(1));
  EXPECT_EQ(trainer->answer(0), "returned");
  ExpectIdle(*fleet.servers[0]);
}

// From the trainer's cancel, or its end, over the server that makes the batch
// to the disk of its peer: the piece that is being read is the last one.
TEST_F(ColdRowsTest, ACancelledBatchEndsThePeersReading) {
  for (const bool cancels : {true, false}) {
    SCOPED_TRACE(cancels ? "cancels" : "closes its stream");
    SimFleet fleet(8);
    fleet.Add({.opened = Open({0}, FeatureMemory::kResident)});
    SimServerOptions options = PagedServer({1});
    options.rows = [this](SimExecutor*) {
      return std::make_shared<RowQueue>(
          &disk_, RowQueueLimits{.pieces = 1, .piece_rows = 16});
    };
    fleet.Add(options);
    fleet.Settle();
    auto trainer = Connect(fleet);
    const auto session = SessionOf(*fleet.servers[0]->graph, true);
    trainer->Open(session);
    trainer->Ask(session, 0, 16384, 60'000);
    AwaitPiece(fleet);
    EXPECT_EQ(disk_.RowsOf(0).size(), 16u);  // of 25
    EXPECT_FALSE(disk_.IsCancelled(0));
    if (cancels) {
      trainer->Cancel(0);
      RunFor(fleet, absl::Milliseconds(10));
      EXPECT_EQ(trainer->answer(0), "returned");
    } else {
      trainer->Close();
      RunFor(fleet, absl::Milliseconds(10));
    }
    ExpectIdle(*fleet.servers[0]);
    EXPECT_GT(fleet.servers[1]->service->leaf_budget().used(), 0u);
    ASSERT_EQ(disk_.size(), 1u);
    EXPECT_TRUE(disk_.IsCancelled(0));
    disk_.Answer(0);
    RunFor(fleet, absl::Milliseconds(10));
    EXPECT_EQ(disk_.size(), 0u);
    ExpectIdle(*fleet.servers[1]);
    disk_.AnswerAll();
  }
}

TEST_F(ColdRowsTest, ADeadlineNamesTheDisk) {
  SimFleet fleet(7);
  fleet.Add(PagedServer({}));
  auto trainer = Connect(fleet);
  const auto session = SessionOf(*fleet.servers[0]->graph, true);
  trainer->Open(session);
  trainer->Ask(session, 0, 16384, 500);
  Await(fleet, *trainer, 1);
  EXPECT_THAT(trainer->answer(0),
              AllOf(StartsWith("error DEADLINE_EXCEEDED "),
                    ::testing::AnyOf(HasSubstr("waiting for a disk"),
                                     HasSubstr("were not read in time"))));
  disk_.AnswerAll();
  RunFor(fleet, absl::Seconds(1));
  ExpectIdle(*fleet.servers[0]);
}

// The point of it all, with real threads: one thread samples, every read of
// features hangs, and who needs none of them gets batch after batch.
TEST_F(ColdRowsTest, ADiskThatHangsHoldsNoSamplingThread) {
  ThreadPool sampler("sampler", 1), leaf("leaf", 1);
  const auto queue = std::make_shared<RowQueue>(&disk_, RowQueueLimits());
  SamplerServiceEnvironment environment;
  environment.executor = &sampler;
  environment.leaf_executor = &leaf;
  const ServedGraph served{.graph = Paged({}), .rows = queue};
  const auto service = std::make_shared<SamplerService>(SamplerServiceOptions(),
                                                        environment, served);
  InProcessTransport transport(&sampler);
  const Address address{"server", 1};
  transport.Listen(address, service);

  auto stuck = ScriptedTrainer::Connect(&transport, address);
  const auto with = SessionOf(*served.graph, true);
  stuck->Open(with);
  for (uint64_t i = 0; i < 4; ++i) stuck->Ask(with, i, 16384, 60000);
  disk_.AwaitOne();

  auto other = ScriptedTrainer::Connect(&transport, address);
  const auto without = SessionOf(*served.graph, false);
  other->Open(without);
  for (uint64_t i = 0; i < 16; ++i) other->Ask(without, i, 16384, 60000);
  ASSERT_TRUE(other->AwaitAnswers(16, kTimeout));
  for (uint64_t i = 0; i < 16; ++i) {
    EXPECT_THAT(other->answer(i), StartsWith("ready "));
  }
  EXPECT_EQ(stuck->answers(), 0u);

  const auto end = std::chrono::steady_clock::now() + kTimeout;
  while (stuck->answers() < 4 && std::chrono::steady_clock::now() < end) {
    disk_.AnswerAll();
    (void)stuck->AwaitAnswers(4, std::chrono::seconds(0));
  }
  EXPECT_EQ(stuck->answer(0), Expected());
  EXPECT_EQ(stuck->answers(), 4u);
  stuck->Close();
  other->Close();
  transport.StopListening(address);
  queue->Stop();
}

// As many as compute, or more, may wait for the disk of a graph that came when
// the server had none with files.
TEST_F(ColdRowsTest, MoreBatchesRunAtOnceOnceThereIsAPagedGraph) {
  SimFleet fleet(2);
  SimServerOptions options{.opened = StarGraph({})};
  options.admission = AdmissionLimits::ForThreads(1, /*has_peers=*/false);
  SimServer& server = fleet.Add(options);
  const auto paged = Paged({});
  ServedGraph served{paged};
  served.rows = std::make_shared<RowQueue>(&disk_, RowQueueLimits());
  ASSERT_TRUE(server.service->AddGraph(std::move(served)).ok());
  auto trainer = Connect(fleet);
  const TrainerSession session = SessionOf(*paged, true);
  trainer->Open(session);
  const int most = 4 * options.admission.computing;
  for (int i = 0; i < most + 1; ++i) trainer->Ask(session, i, 16384);
  AwaitPiece(fleet);
  RunFor(fleet, absl::Milliseconds(100));
  EXPECT_EQ(server.service->queued(), 1u);
  Serve(fleet, *trainer, most + 1);
  EXPECT_EQ(trainer->answers(), static_cast<size_t>(most + 1));
}

}  // namespace
}  // namespace tributary
