#include "tests/sim/fleet_simulation.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <random>
#include <utility>

#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"
#include "trainer_client/core/neighbor_session.h"

namespace tributary {
namespace {

constexpr uint64_t kInputs = 48;
constexpr uint64_t kBatchSize = 3;
constexpr uint64_t kRandomSeed = 5;

// Parallel edges, self loops, a hub and isolated nodes.
GraphSpec SimulatedGraph(uint32_t num_partitions) {
  GraphSpec graph;
  graph.num_nodes = 64;
  std::mt19937 random(1);
  for (int i = 0; i < 300; ++i) {
    const auto u = static_cast<int64_t>(random() % 60);
    const auto v = static_cast<int64_t>(random() % 60);
    graph.edges.push_back({u, i % 5 == 0 ? 0 : v});
  }
  graph.x_dim = 3;
  for (int64_t i = 0; i < graph.num_nodes * graph.x_dim; ++i) {
    graph.x.push_back(static_cast<float>(i) / 8);
  }
  for (int64_t i = 0; i < graph.num_nodes; ++i) graph.y.push_back(i % 7);
  graph.num_partitions = num_partitions;
  return graph;
}

// Opened graphs are immutable: schedules share them.
std::shared_ptr<const Graph> OpenedGraph(uint32_t num_partitions,
                                         std::vector<uint32_t> partitions) {
  static auto& graphs =
      *new std::map<std::pair<uint32_t, std::vector<uint32_t>>,
                    std::shared_ptr<const Graph>>;
  auto& graph = graphs[{num_partitions, partitions}];
  if (graph == nullptr) {
    graph = BuildGraph(SimulatedGraph(num_partitions), {std::move(partitions)});
  }
  return graph;
}

// Another graph, at an address that trainers and peers are told of too.
std::shared_ptr<const Graph> StrangersGraph() {
  static auto& graph = *new std::shared_ptr<const Graph>(
      BuildGraph({.num_nodes = 64, .edges = {{1, 0}, {2, 0}}}));
  return graph;
}

// What a trainer makes of the graph that a server describes.
LoaderSession SessionOf(const SimulationOptions& options, uint32_t rank) {
  const auto graph = OpenedGraph(options.num_partitions, {});
  NeighborLoaderOptions loader;
  loader.num_neighbors = {3, 2};
  loader.batch_size = kBatchSize;
  loader.random_seed = kRandomSeed;
  loader.replace = options.replace;
  loader.expand_all = options.expand_all;
  loader.rank = rank;
  loader.world = options.num_trainers;
  std::vector<int64_t> inputs(kInputs);
  std::iota(inputs.begin(), inputs.end(), 0);
  auto session =
      MakeNeighborSession(loader,
                          std::make_shared<AcceptedGraph>(
                              AcceptedGraph{graph->json(), graph->schema()}),
                          inputs);
  EXPECT_TRUE(session.ok()) << session.status();
  return *std::move(session);
}

// Passes streams on, and counts those that a trainer wants batches from.
class BatchStreamCounter final : public StreamAcceptor {
 public:
  explicit BatchStreamCounter(StreamAcceptor* next) : next_(next) {}
  std::shared_ptr<StreamHandler> Accept(StreamMethod method, std::string peer,
                                        std::shared_ptr<Stream> stream,
                                        absl::Status* why) override {
    count_ += method == StreamMethod::kBatches ? 1 : 0;
    return next_->Accept(method, std::move(peer), std::move(stream), why);
  }
  int count() const { return count_; }

 private:
  StreamAcceptor* const next_;
  int count_ = 0;
};

class FleetSimulation {
 public:
  explicit FleetSimulation(const SimulationOptions& options)
      : options_(options), fleet_(options.seed) {
    fleet_.network.faults() = options.network;
    for (int s = 0; s < options.num_servers; ++s) {
      SimServerOptions server;
      server.opened = OpenedGraph(options.num_partitions, PartitionsOf(s));
      fleet_.Add(server);
    }
    if (options.stranger) {
      SimServerOptions stranger;
      stranger.opened = StrangersGraph();
      const SimServer& server = fleet_.Add(stranger);
      at_stranger_ = std::make_unique<BatchStreamCounter>(server.service.get());
      fleet_.network.Listen(server.executor, server.address,
                            at_stranger_.get());
    }
    fleet_.Introduce();
    for (uint32_t rank = 0; rank < options.num_trainers; ++rank) {
      trainers_.push_back(NewTrainer(rank));
    }
  }

  void Run() {
    for (auto& trainer : trainers_) trainer->Run(Cursor0());
    ScheduleFaults();
    const bool done = fleet_.world.RunUntil(
        [this] {
          return std::all_of(trainers_.begin(), trainers_.end(),
                             [](const auto& t) { return t->done(); });
        },
        absl::Hours(1));
    EXPECT_TRUE(done) << "the epoch did not end";
    for (const auto& trainer : trainers_) Collect(*trainer);
    EndFaults();
    CloseTrainers();
    CheckServersIdle();
  }

  const std::map<uint64_t, std::string>& digests() const { return digests_; }
  SimulationReport report() const {
    SimulationReport report = report_;
    report.batches = digests_.size();
    report.events = fleet_.world.events_run();
    report.corrupted = fleet_.network.messages_corrupted();
    return report;
  }

 private:
  // Partition p is owned by the servers p, p + 1, ... (modulo their number).
  std::vector<uint32_t> PartitionsOf(int server) const {
    std::vector<uint32_t> mine;
    for (uint32_t p = 0; p < options_.num_partitions; ++p) {
      const int first = static_cast<int>(p) % options_.num_servers;
      const int behind =
          (server - first + options_.num_servers) % options_.num_servers;
      if (behind < options_.owners_per_partition) mine.push_back(p);
    }
    return mine;
  }

  std::unique_ptr<SimTrainer> NewTrainer(uint32_t rank) {
    SimTrainerOptions trainer;
    trainer.session = SessionOf(options_, rank);
    trainer.core.buffer_size = options_.ring_bytes;
    trainer.core.prefetch_size = options_.prefetch_size;
    trainer.core.rpc_timeout = absl::Seconds(120);
    for (const auto& server : fleet_.servers) {
      trainer.servers.push_back(server->address);
    }
    trainer.jitter_seed = options_.seed + rank;
    return std::make_unique<SimTrainer>(&fleet_.world, &fleet_.network,
                                        std::move(trainer));
  }

  Cursor Cursor0() const {
    Cursor cursor;
    cursor.inputs = SessionOf(options_, 0).inputs;
    return cursor;
  }

  // ---- faults --------------------------------------------------------------
  absl::Duration Random(absl::Duration from, absl::Duration to) {
    const int64_t spread = absl::ToInt64Nanoseconds(to - from);
    return from + absl::Nanoseconds(static_cast<int64_t>(
                      fleet_.world.Below(static_cast<uint64_t>(spread))));
  }

  void At(absl::Duration delay, Task task) {
    fleet_.world.Schedule(-1, fleet_.world.now() + delay, std::move(task));
  }

  SimServer& AnyServer() {
    return *fleet_.servers[fleet_.world.Below(fleet_.servers.size())];
  }

  void ScheduleFaults() {
    const absl::Duration epoch = absl::Milliseconds(40);
    auto some_time = [&] { return Random(absl::ZeroDuration(), epoch); };
    for (int i = 0; i < options_.crashes; ++i) {
      At(some_time(), [this] { CrashOne(); });
    }
    for (int i = 0; i < options_.freezes; ++i) {
      At(some_time(), [this] { FreezeOne(); });
    }
    for (int i = 0; i < options_.partings; ++i) {
      At(some_time(), [this] { PartTwo(); });
    }
    for (int i = 0; i < options_.resumptions; ++i) {
      At(some_time(), [this] { ResumeTrainer(); });
    }
  }

  void CrashOne() {
    SimServer& server = AnyServer();
    if (fleet_.world.crashed(server.executor->node())) return;
    fleet_.Crash(server);
    ++report_.crashes;
    At(Random(absl::Milliseconds(1), absl::Seconds(2)),
       [this, &server] { fleet_.Restart(server); });
  }

  void FreezeOne() {
    const int node = AnyServer().executor->node();
    fleet_.world.Freeze(node);
    At(Random(absl::Milliseconds(1), absl::Seconds(3)),
       [this, node] { fleet_.world.Thaw(node); });
  }

  void PartTwo() {
    fleet_.network.Partition(trainers_[0]->node(), AnyServer().executor);
    fleet_.network.Partition(AnyServer().executor, AnyServer().executor);
    At(Random(absl::Milliseconds(1), absl::Seconds(3)),
       [this] { fleet_.network.Heal(); });
  }

  // The trainer's process dies; another goes on from its last checkpoint.
  void ResumeTrainer() {
    SimTrainer& old = *trainers_[0];
    if (old.done()) return;
    Collect(old);
    const Cursor cursor = old.cursor();
    fleet_.network.Crash(old.node());
    dead_trainers_.push_back(std::move(trainers_[0]));
    trainers_[0] = NewTrainer(0);
    trainers_[0]->Run(cursor);
  }

  void EndFaults() {
    fleet_.network.Heal();
    fleet_.network.faults().corrupt = 0;
    fleet_.network.faults().cut = 0;
    for (const auto& server : fleet_.servers) {
      fleet_.world.Thaw(server->executor->node());
    }
  }

  // ---- checks ---------------------------------------------------------------
  void Collect(const SimTrainer& trainer) {
    for (const absl::Status& error : trainer.errors()) {
      ADD_FAILURE() << "an error while owners live: " << error;
    }
    uint64_t last = 0;
    for (const auto& [index, digest] : trainer.taken()) {
      EXPECT_TRUE(digests_.emplace(index, digest).second)
          << "batch " << index << " was delivered twice";
      EXPECT_GE(index, last) << "out of order";
      last = index;
    }
    report_.reassigned += trainer.stats().reassigned;
  }

  void CloseTrainers() {
    for (auto& trainer : trainers_) trainer->Close();
    EXPECT_TRUE(fleet_.world.RunUntil(
        [this] {
          return std::all_of(trainers_.begin(), trainers_.end(),
                             [](const auto& t) { return t->closed(); });
        },
        absl::Minutes(10)));
    for (auto& trainer : trainers_) {
      const SlotRingStats ring = trainer->ring();
      EXPECT_EQ(ring.used_bytes, 0u) << "slots are still held";
      EXPECT_LE(ring.peak_bytes, options_.ring_bytes);
    }
  }

  void CheckServersIdle() {
    auto idle = [this] {
      return std::all_of(
          fleet_.servers.begin(), fleet_.servers.end(), [this](const auto& s) {
            return !fleet_.world.crashed(s->executor->node()) &&
                   s->service->budget().used() == 0 &&
                   s->service->leaf_budget().used() == 0 &&
                   s->service->active() == 0 && s->service->queued() == 0;
          });
    };
    EXPECT_TRUE(fleet_.world.RunUntil(idle, absl::Minutes(10)))
        << "a server still holds memory or work";
    for (const auto& server : fleet_.servers) {
      EXPECT_LE(server->service->budget().peak(),
                server->service->budget().limit());
    }
    if (at_stranger_ != nullptr) {
      EXPECT_EQ(at_stranger_->count(), 0)
          << "a server with another graph was asked";
    }
  }

  const SimulationOptions options_;
  SimFleet fleet_;
  std::unique_ptr<BatchStreamCounter> at_stranger_;  // until it restarts
  std::vector<std::unique_ptr<SimTrainer>> trainers_;
  std::vector<std::unique_ptr<SimTrainer>> dead_trainers_;
  std::map<uint64_t, std::string> digests_;
  SimulationReport report_;
};

// What a lone server with the whole graph makes, without any fault.
const std::map<uint64_t, std::string>& Expected(
    const SimulationOptions& options) {
  static auto& known =
      *new std::map<std::pair<bool, bool>, std::map<uint64_t, std::string>>;
  auto& digests = known[{options.replace, options.expand_all}];
  if (digests.empty()) {
    SimulationOptions plain;
    plain.num_servers = 1;
    plain.num_partitions = 1;
    plain.replace = options.replace;
    plain.expand_all = options.expand_all;
    FleetSimulation simulation(plain);
    simulation.Run();
    digests = simulation.digests();
    EXPECT_EQ(digests.size(), kInputs / kBatchSize);
  }
  return digests;
}

}  // namespace

std::string SimulationOptions::ToString() const {
  return absl::StrCat(
      "seed ", seed, ": ", num_servers, " servers, ", num_partitions,
      " partitions on ", owners_per_partition, " each, ", num_trainers,
      " trainers, prefetch ", prefetch_size, ", ring ", ring_bytes,
      ", corrupt ", network.corrupt, ", cut ", network.cut, ", refuse ",
      network.refuse_connect, ", ", crashes, " crashes, ", freezes,
      " freezes, ", partings, " partings, ", resumptions, " resumptions",
      stranger ? ", a stranger" : "");
}

SimulationOptions RandomSimulation(uint64_t seed) {
  std::mt19937_64 random(seed * 0x9E3779B97F4A7C15 + 1);
  auto below = [&random](uint64_t n) { return static_cast<int>(random() % n); };
  SimulationOptions options;
  options.seed = seed;
  options.num_servers = 1 + below(8);
  options.num_partitions = static_cast<uint32_t>(1 + below(4));
  options.owners_per_partition = 1 + below(std::min(3, options.num_servers));
  options.num_trainers = static_cast<uint32_t>(1 + below(4));
  options.replace = below(2) == 1;
  options.expand_all = below(2) == 1;
  options.prefetch_size = 1 + below(6);
  options.ring_bytes = uint64_t{32 << 10} << below(4);
  const double rates[] = {0, 0, 0.001, 0.01};
  options.network.corrupt = rates[below(4)];
  options.network.cut = rates[below(4)];
  options.network.refuse_connect = rates[below(4)] * 10;
  options.network.max_latency = absl::Microseconds(100 << below(6));
  options.network.max_crash_detection = absl::Milliseconds(1 << below(12));
  // A batch that three processes died over is an error by design: fewer here.
  options.crashes = below(3);
  options.freezes = below(3);
  options.partings = below(2);
  if (options.num_trainers == 1) options.resumptions = below(3);
  options.stranger = below(4) == 0;
  return options;
}

SimulationReport RunSimulation(const SimulationOptions& options) {
  FleetSimulation simulation(options);
  simulation.Run();
  EXPECT_EQ(simulation.digests(), Expected(options));
  return simulation.report();
}

}  // namespace tributary
