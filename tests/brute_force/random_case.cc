#include "tests/brute_force/random_case.h"

#include <random>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "sampler_server/engine/testing/oracle.h"

namespace tributary {
namespace {

// Everything is drawn from one seed.
class Maker {
 public:
  explicit Maker(uint64_t seed) : random_(seed) { case_.seed = seed; }

  RandomCase Make() {
    MakeGraph();
    MakeBatch();
    for (uint32_t p = 0; p < graph_.num_partitions; ++p) {
      if (Chance(50)) case_.here.insert(p);
    }
    case_.edges_per_reply = static_cast<uint64_t>(1 + Below(20));
    return case_;
  }

  RandomCase MakeHub() {
    const int64_t n = 1 + Below(200);
    graph_.num_partitions = static_cast<uint32_t>(1 + Below(3));
    graph_.wide_ids = Chance(30);
    graph_.node_types.push_back({.num_nodes = n});
    auto& edges = graph_.edge_types.emplace_back().edges;
    const int64_t degree = Pick({65'535, 65'536, 65'537, 70'001});
    for (int64_t e = 0; e < degree; ++e) edges.emplace_back(Below(n), 0);
    for (int64_t e = 0; e < 20; ++e) edges.emplace_back(0, Below(n));
    const int64_t first = edges.back().second;
    case_.batch.inputs = {first, 0, Below(n)};
    SpecOptions& options = case_.batch.options;
    options.num_neighbors.by_default = {
        static_cast<int32_t>(Pick({1, 7, 33, 2'000, 65'535, 80'000})),
        static_cast<int32_t>(Pick({0, 1, 20}))};
    options.batch_size = 3;
    options.random_seed = random_();
    options.replace = Chance(40);
    options.expand = Chance(30) ? ExpandMode::kAll : ExpandMode::kNew;
    case_.here = {0};
    case_.edges_per_reply = static_cast<uint64_t>(1000 + Below(50'000));
    return case_;
  }

 private:
  int64_t Below(int64_t n) { return static_cast<int64_t>(random_() % n); }
  bool Chance(int percent) { return Below(100) < percent; }
  int64_t Pick(const std::vector<int64_t>& of) {
    return of[Below(static_cast<int64_t>(of.size()))];
  }

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
    type.num_nodes = Chance(10) ? 1 : 1 + Below(Chance(20) ? 200 : 20);
    if (t > 0 && Chance(15)) type.num_nodes = 0;
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
    if (n == 0 || m == 0) return;
    const int64_t edges = Chance(10) ? 0 : Below(Chance(20) ? 2000 : 60);
    const int64_t hub = Below(m);
    for (int64_t e = 0; e < edges; ++e) {
      const int64_t u = Below(n);
      type.edges.emplace_back(u, Chance(50) ? hub : Below(m));
    }
  }

  std::vector<int32_t> Fanouts(int64_t hops) {
    std::vector<int32_t> fanouts;
    for (int64_t h = 0; h < hops; ++h) {
      fanouts.push_back(
          static_cast<int32_t>(Pick({-1, 0, 1, 2, 3, 5, 10, 20, 40, 100})));
    }
    return fanouts;
  }

  const MemoryGraphSpec::NodeType& InputType() {
    for (;;) {
      const auto& type = graph_.node_types[Below(
          static_cast<int64_t>(graph_.node_types.size()))];
      if (type.num_nodes > 0) return type;
    }
  }

  void MakeBatch() {
    BatchCase& batch = case_.batch;
    SpecOptions& options = batch.options;
    const int64_t hops = 1 + Below(3);
    options.num_neighbors.by_default = Fanouts(hops);
    for (const auto& type : graph_.edge_types) {
      if (!Chance(30)) continue;
      options.num_neighbors
          .by_edge_type[type.src + "," + type.rel + "," + type.dst] =
          Fanouts(hops);
    }
    const auto& input = InputType();
    options.input_type = input.name;
    options.random_seed = random_();
    options.batch_size = static_cast<uint64_t>(1 + Below(12));
    options.replace = Chance(30);
    options.expand = Chance(30) ? ExpandMode::kAll : ExpandMode::kNew;
    options.shuffle = Chance(50) ? ShuffleMode::kNone : ShuffleMode::kGlobal;
    options.collect_features = Chance(80);
    const int64_t inputs = 1 + Below(30);
    for (int64_t i = 0; i < inputs; ++i) {
      batch.inputs.push_back(Below(input.num_nodes));
    }
    batch.epoch = static_cast<uint64_t>(Below(3));
    batch.index = static_cast<uint64_t>(
        Below((inputs + options.batch_size - 1) / options.batch_size));
  }

  std::mt19937_64 random_;
  RandomCase case_;
  MemoryGraphSpec& graph_ = case_.graph;
};

}  // namespace

RandomCase MakeRandomCase(uint64_t seed) { return Maker(seed).Make(); }
RandomCase MakeHubCase(uint64_t seed) { return Maker(seed).MakeHub(); }

std::string EngineDigest(const RandomCase& c) {
  return DigestOf(*OneBatchWorld(MemoryGraph::Make(c.graph)).Run(c.batch));
}

std::string EngineDigestWithPeer(const RandomCase& c) {
  const auto graph = MemoryGraph::Make(c.graph);
  OneBatchWorld world(graph->Only(c.here), graph);
  world.remote()->edges_per_reply = c.edges_per_reply;
  return DigestOf(*world.Run(c.batch));
}

std::string DefinedDigest(const RandomCase& c) {
  const auto graph = MemoryGraph::Make(c.graph);
  const BatchRequest request = RequestOf(graph->schema(), c.batch);
  return OracleDigest(c.graph, c.batch.options, request.key.epoch,
                      request.key.index, request.input_number,
                      request.original_id);
}

std::string Describe(const RandomCase& c) {
  const SpecOptions& o = c.batch.options;
  std::string text = absl::StrCat(
      "seed ", c.seed, "; partitions ", c.graph.num_partitions, ", here {",
      absl::StrJoin(c.here, ","), "}, ", c.edges_per_reply,
      " edges a reply, wide ids ", c.graph.wide_ids, "\n");
  for (const auto& type : c.graph.node_types) {
    absl::StrAppend(&text, "node type ", type.name, ": ", type.num_nodes,
                    " nodes, x ", type.x_dim, ", y ", type.has_y,
                    ", partition of each {",
                    absl::StrJoin(type.partition_of, ","), "}\n");
  }
  for (const auto& type : c.graph.edge_types) {
    absl::StrAppend(&text, "edge type ", type.src, ",", type.rel, ",", type.dst,
                    ", attributes ", type.has_attr, ":");
    for (const auto& [u, v] : type.edges)
      absl::StrAppend(&text, " ", u, ">", v);
    absl::StrAppend(&text, "\n");
  }
  absl::StrAppend(&text, "inputs of ", o.input_type, ": {",
                  absl::StrJoin(c.batch.inputs, ","), "}, batch ",
                  c.batch.index, " of ", o.batch_size, ", epoch ",
                  c.batch.epoch, ", random seed ", o.random_seed, ", shuffle ",
                  o.shuffle == ShuffleMode::kGlobal, ", replace ", o.replace,
                  ", expand all ", o.expand == ExpandMode::kAll, ", features ",
                  o.collect_features, "\nfanouts ",
                  absl::StrJoin(o.num_neighbors.by_default, ","));
  for (const auto& [name, fanouts] : o.num_neighbors.by_edge_type) {
    absl::StrAppend(&text, ";", name, "=", absl::StrJoin(fanouts, ","));
  }
  return text + "\n";
}

}  // namespace tributary
