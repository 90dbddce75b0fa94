// The engine against the definition, on thousands of small random graphs.
#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <set>

#include "sampler_server/engine/testing/one_batch.h"
#include "sampler_server/engine/testing/oracle.h"

namespace tributary {
namespace {

// Everything is drawn from one seed, which a failure prints.
class RandomCase {
 public:
  explicit RandomCase(uint64_t seed) : random_(seed) {
    MakeGraph();
    MakeBatch();
  }

  const MemoryGraphSpec& graph() const { return graph_; }
  const BatchCase& batch() const { return batch_; }
  int64_t Below(int64_t n) { return static_cast<int64_t>(random_() % n); }
  bool Chance(int percent) { return Below(100) < percent; }
  // Some of the partitions, perhaps none, perhaps all.
  std::set<uint32_t> SomePartitions() {
    std::set<uint32_t> some;
    for (uint32_t p = 0; p < graph_.num_partitions; ++p) {
      if (Chance(50)) some.insert(p);
    }
    return some;
  }

 private:
  void MakeGraph() {
    graph_.num_partitions = static_cast<uint32_t>(1 + Below(5));
    graph_.heterogeneous = Chance(50);
    graph_.wide_ids = Chance(30);
    const int64_t types = graph_.heterogeneous ? 1 + Below(3) : 1;
    for (int64_t t = 0; t < types; ++t) AddNodeType(t);
    std::set<std::pair<int64_t, int64_t>> ends;
    for (int64_t i = 0; i < types * 2; ++i) {
      ends.emplace(Below(types), Below(types));
    }
    for (const auto& [src, dst] : ends) AddEdgeType(src, dst);
  }

  void AddNodeType(int64_t t) {
    MemoryGraphSpec::NodeType& type = graph_.node_types.emplace_back();
    if (graph_.heterogeneous) type.name = std::string(1, char('a' + t));
    type.num_nodes = 1 + Below(Chance(20) ? 200 : 20);
    type.x_dim = Chance(60) ? 1 + Below(20) : 0;
    type.has_y = Chance(50);
    // Parts of very different sizes, some empty.
    const auto most = graph_.num_partitions;
    const auto used = static_cast<int64_t>(1 + Below(most));
    for (int64_t v = 0; v < type.num_nodes; ++v) {
      type.partition_of.push_back(static_cast<uint16_t>(
          Chance(50) ? most - 1 : static_cast<uint32_t>(Below(used))));
    }
  }

  // Parallel edges and self loops come by themselves; a hub takes half.
  void AddEdgeType(int64_t src, int64_t dst) {
    MemoryGraphSpec::EdgeType& type = graph_.edge_types.emplace_back();
    type.src = graph_.node_types[src].name;
    type.dst = graph_.node_types[dst].name;
    type.has_attr = Chance(40);
    const int64_t n = graph_.node_types[src].num_nodes;
    const int64_t m = graph_.node_types[dst].num_nodes;
    const int64_t edges = Chance(10) ? 0 : Below(Chance(20) ? 2000 : 60);
    const int64_t hub = Below(m);
    for (int64_t e = 0; e < edges; ++e) {
      type.edges.emplace_back(Below(n), Chance(50) ? hub : Below(m));
    }
  }

  std::vector<int32_t> Fanouts(int64_t hops) {
    const std::vector<int32_t> some = {-1, 0, 1, 2, 3, 5, 10, 20, 40, 100};
    std::vector<int32_t> fanouts;
    for (int64_t h = 0; h < hops; ++h) fanouts.push_back(some[Below(10)]);
    return fanouts;
  }

  void MakeBatch() {
    SpecOptions& options = batch_.options;
    const int64_t hops = 1 + Below(3);
    options.num_neighbors.by_default = Fanouts(hops);
    for (const auto& type : graph_.edge_types) {
      if (!Chance(30)) continue;
      options.num_neighbors
          .by_edge_type[type.src + "," + type.rel + "," + type.dst] =
          Fanouts(hops);
    }
    const auto& input = graph_.node_types[Below(graph_.node_types.size())];
    options.input_type = input.name;
    options.random_seed = random_();
    options.batch_size = static_cast<uint64_t>(1 + Below(12));
    options.replace = Chance(30);
    options.expand = Chance(30) ? ExpandMode::kAll : ExpandMode::kNew;
    options.shuffle = Chance(50) ? ShuffleMode::kNone : ShuffleMode::kGlobal;
    options.collect_features = Chance(80);
    const int64_t inputs = 1 + Below(30);
    for (int64_t i = 0; i < inputs; ++i) {
      batch_.inputs.push_back(Below(input.num_nodes));
    }
    batch_.epoch = static_cast<uint64_t>(Below(3));
    batch_.index = static_cast<uint64_t>(
        Below((inputs + options.batch_size - 1) / options.batch_size));
  }

  std::mt19937_64 random_;
  MemoryGraphSpec graph_;
  BatchCase batch_;
};

std::string OracleOf(const RandomCase& random, const GraphSchema& schema) {
  const BatchRequest request = RequestOf(schema, random.batch());
  return OracleDigest(random.graph(), random.batch().options, request.key.epoch,
                      request.key.index, request.input_number,
                      request.original_id);
}

TEST(Oracle, AgreesOnThousandsOfGraphs) {
  for (uint64_t seed = 0; seed < 3000; ++seed) {
    RandomCase random(seed);
    const auto graph = MemoryGraph::Make(random.graph());
    const auto sink = OneBatchWorld(graph).Run(random.batch());
    ASSERT_EQ(DigestOf(*sink), OracleOf(random, graph->schema()))
        << "seed " << seed;
    ASSERT_EQ(sink->ends, 1);
  }
}

TEST(Oracle, AgreesWithPeersThatAnswerInPieces) {
  int asked = 0;
  for (uint64_t seed = 10'000; seed < 12'000; ++seed) {
    RandomCase random(seed);
    const auto graph = MemoryGraph::Make(random.graph());
    OneBatchWorld world(graph->Only(random.SomePartitions()), graph);
    world.remote()->edges_per_reply =
        static_cast<uint64_t>(1 + random.Below(20));
    const auto sink = world.Run(random.batch());
    ASSERT_EQ(DigestOf(*sink), OracleOf(random, graph->schema()))
        << "seed " << seed;
    asked += world.remote()->hops_asked;
  }
  EXPECT_GT(asked, 1000);
}

// Whatever room is offered first, a few tries end in the same batch, each with
// more room than the one before, and room that is enough is enough.
TEST(Oracle, EveryRoomConverges) {
  for (uint64_t seed = 20'000; seed < 21'000; ++seed) {
    RandomCase random(seed);
    const auto graph = MemoryGraph::Make(random.graph());
    const auto here = random.SomePartitions();
    BatchCase batch = random.batch();
    batch.max_bytes = static_cast<uint64_t>(1 + random.Below(3000));
    std::shared_ptr<RecordingSink> sink;
    int tries = 0;
    for (; tries < 32; ++tries) {
      OneBatchWorld world(graph->Only(here), graph);
      sink = world.Run(batch);
      if (!sink->needs.has_value()) break;
      ASSERT_GT(*sink->needs, batch.max_bytes) << "seed " << seed;
      batch.max_bytes = *sink->needs;
    }
    ASSERT_EQ(DigestOf(*sink), OracleOf(random, graph->schema()))
        << "seed " << seed;
    EXPECT_LT(tries, 12) << "seed " << seed;
    // One byte less than exact is too little, and the answer is exact.
    batch.max_bytes = *sink->ready - 1;
    sink = OneBatchWorld(graph->Only(here), graph).Run(batch);
    ASSERT_TRUE(sink->needs.has_value());
    batch.max_bytes = *sink->needs;
    sink = OneBatchWorld(graph->Only(here), graph).Run(batch);
    ASSERT_EQ(*sink->ready, batch.max_bytes) << "seed " << seed;
  }
}

}  // namespace
}  // namespace tributary
