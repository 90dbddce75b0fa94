#include "tests/brute_force/random_case.h"

#include <algorithm>
#include <random>

#include "sampler_server/engine/testing/expected_batch.h"
#include "tests/brute_force/case_demands.h"

namespace tributary {
namespace {

// Draws a case from one seed.
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
    if (Chance(60)) ChooseDraws();
    ChooseSubgraph();
    const SubgraphType subgraph = case_.batch.options.subgraph.type;
    if (subgraph != SubgraphType::kInduced && Chance(60)) ChoosePredicates();
    if (subgraph != SubgraphType::kInduced && Chance(70)) ChooseMasks();
    ChooseAcrossTypes();
    ScaleFeatures();
    ChooseColumns();
    ChoosePrecision();
    ChooseDegrees();
    ChooseEdgeIds();
    return case_;
  }

  RandomCase MakeDirected() {
    Make();
    if (case_.batch.options.subgraph.type != SubgraphType::kDirectional) {
      return case_;
    }
    AddReverses(&graph_);
    DrawOptions& draws = case_.batch.options.draws;
    if (draws.draw == DrawMode::kAcrossTypes) draws.draw = DrawMode::kUniform;
    EdgeDirection& direction = draws.edge_dir;
    direction = Chance(50) ? EdgeDirection::kOut : EdgeDirection::kBoth;
    if (!HasWhatItDrawsBy(case_)) direction = EdgeDirection::kIn;
    ChooseColumns();
    if (!HasWhatItDrawsBy(case_)) case_.batch.options.collect = {};
    ChooseDegrees();
    ChooseEdgeIds();
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

  // Sets options that need columns of the graph, and adds the columns.
  void ChooseDraws() {
    SpecOptions& options = case_.batch.options;
    if (!options.replace && Chance(20)) {
      options.draws.draw = DrawMode::kLabor;
      options.draws.layer_dependency = Chance(50);
      graph_.neighbor_ids = true;
      return;
    }
    options.draws.disjoint = Chance(50);
    if (Chance(30)) return;
    Chance(50) ? ChooseWeights() : ChooseTimes();
  }

  // Sets the options that depend on the draws.
  void ChooseSubgraph() {
    SpecOptions& options = case_.batch.options;
    if (!Chance(40) || options.draws.draw == DrawMode::kLabor) return;
    if (options.draws.time == TimeMode::kNone && Chance(60)) {
      options.subgraph.type = SubgraphType::kInduced;
      options.subgraph.max_scanned_edges = 1'000'000;
      return;
    }
    options.subgraph.type = SubgraphType::kBidirectional;
    // Some types have a reverse type.
    for (auto& type : graph_.edge_types) {
      if (!Reversed(type) || !Chance(60)) continue;
      const auto named =
          options.num_neighbors.by_edge_type.extract(type.name());
      type.rel = "rev_to";
      if (named.empty()) continue;
      options.num_neighbors.by_edge_type[type.name()] = named.mapped();
    }
  }

  // Returns whether another type leads back, which may be its reverse.
  bool Reversed(const MemoryGraphSpec::EdgeType& type) const {
    return type.src > type.dst &&
           std::any_of(graph_.edge_types.begin(), graph_.edge_types.end(),
                       [&type](const auto& other) {
                         return other.src == type.dst && other.dst == type.src;
                       });
  }

  void ChooseWeights() {
    AddToTypes([this](auto& type) { AddWeights(type); });
    DrawOptions& draws = case_.batch.options.draws;
    draws.draw = DrawMode::kWeighted;
    if (!HasWhatItDrawsBy(case_)) draws.draw = DrawMode::kUniform;
  }

  void ChooseTimes() {
    SpecOptions& options = case_.batch.options;
    DrawOptions& draws = options.draws;
    draws.time = Chance(50) ? TimeMode::kEdge : TimeMode::kNode;
    AddToTypes([&](auto& type) {
      draws.time == TimeMode::kEdge ? AddTimes(type)
                                    : AddTimes(NodeType(type.src));
    });
    if (Chance(30)) AddTimes(NodeType(options.input_type));
    draws.input_time = NodeType(options.input_type).time.empty() || Chance(50)
                           ? InputTimeMode::kGiven
                           : InputTimeMode::kOwn;
    if (!HasWhatItDrawsBy(case_)) {
      draws = {.disjoint = draws.disjoint};
      return;
    }
    draws.strict = Chance(30);
    if (!options.replace && Chance(40)) {
      draws.temporal_strategy = TemporalStrategy::kLast;
    }
    if (draws.input_time == InputTimeMode::kOwn) return;
    for (size_t i = 0; i < case_.batch.inputs.size(); ++i) {
      case_.batch.input_time.push_back(Time());
    }
  }

  // Makes a predicate on one planned type's columns, for that type or for all.
  void ChoosePredicates() {
    std::vector<MemoryGraphSpec::EdgeType*> planned;
    for (auto& type : graph_.edge_types) {
      if (Planned(case_, type)) planned.push_back(&type);
    }
    if (planned.empty()) return;
    auto& type = *planned[Below(static_cast<int64_t>(planned.size()))];
    const auto edges = static_cast<int64_t>(type.edges.size());
    if (edges == 0 || Chance(50)) type.has_attr = true;
    if (type.weight.empty() && Chance(30)) AddWeights(type);
    if (type.time.empty() && Chance(30)) AddTimes(type);
    std::vector<EdgeCondition> conditions;
    const int64_t most = 1 + Below(2);
    while (static_cast<int64_t>(conditions.size()) < most) {
      EdgeCondition condition;
      condition.column = static_cast<EdgeColumn>(1 + Below(4));
      if (!HasColumns(type, {condition})) {
        if (HasColumns(type, conditions) && !conditions.empty()) break;
        type.has_attr = true;
        continue;
      }
      condition.comparison = static_cast<Comparison>(1 + Below(6));
      condition.whole =
          condition.column == EdgeColumn::kAttr       ? Below(2 * edges + 2)
          : condition.column == EdgeColumn::kSelfLoop ? Below(2)
                                                      : Below(20) - 5;
      if (condition.column == EdgeColumn::kWeight && Chance(50)) {
        condition.is_whole = false;
        condition.decimal = static_cast<double>(condition.whole) * 7.1;
        condition.whole = 0;
      }
      conditions.push_back(condition);
    }
    EdgePredicates& predicates = case_.batch.options.draws.edge_predicates;
    if (Chance(50)) {
      predicates.by_default = conditions;
    } else {
      predicates.by_edge_type[type.name()] = conditions;
    }
  }

  // Uses two masks: the session's, one in a predicate, or both.
  void ChooseMasks() {
    AddToTypes([this](auto& type) {
      for (const char* name : {"late", "train"}) {
        auto& mask = type.masks[name];
        const int share = static_cast<int>(Pick({0, 20, 50, 90, 100}));
        for (size_t e = 0; e < type.edges.size(); ++e) {
          mask.push_back(Chance(share) ? 1 : 0);
        }
      }
    });
    DrawOptions& draws = case_.batch.options.draws;
    if (Chance(70)) draws.edge_mask = "train";
    if (draws.edge_predicates.empty() && Chance(50)) {
      EdgeCondition condition;
      condition.column = EdgeColumn::kMask;
      condition.mask = "late";
      condition.comparison = static_cast<Comparison>(1 + Below(6));
      condition.whole = Below(2);
      draws.edge_predicates.by_default = {condition};
    }
    if (HasWhatItDrawsBy(case_)) return;
    draws.edge_mask.clear();
    draws.edge_predicates = EdgePredicates();
  }

  // A total over all edge types, without what it cannot be combined with. Draws
  // no number.
  void ChooseAcrossTypes() {
    SpecOptions& options = case_.batch.options;
    DrawOptions& draws = options.draws;
    if (case_.seed % 5 > 1 || !graph_.heterogeneous ||
        draws.draw != DrawMode::kUniform || draws.time != TimeMode::kNone) {
      return;
    }
    draws = {.draw = DrawMode::kAcrossTypes, .disjoint = draws.disjoint};
    options.num_neighbors.by_edge_type.clear();
  }

  // Adds to most edge types; to all planned ones if none of them was chosen.
  template <typename Add>
  void AddToTypes(Add add) {
    bool added = false;
    for (auto& type : graph_.edge_types) {
      if (!Chance(70)) continue;
      add(type);
      added |= Planned(case_, type);
    }
    for (auto& type : graph_.edge_types) {
      if (!added && Planned(case_, type)) add(type);
    }
  }

  MemoryGraphSpec::NodeType& NodeType(const std::string& name) {
    size_t i = 0;
    while (graph_.node_types[i].name != name) ++i;
    return graph_.node_types[i];
  }

  // Few values, so that many tie, and the ends of the range.
  int64_t Time() {
    if (Chance(3)) return Chance(50) ? INT64_MIN : INT64_MAX;
    return Below(15) - 5;
  }
  void AddTimes(MemoryGraphSpec::EdgeType& type) {
    type.time.clear();
    for (size_t e = 0; e < type.edges.size(); ++e) type.time.push_back(Time());
  }
  void AddTimes(MemoryGraphSpec::NodeType& type) {
    type.time.clear();
    for (int64_t v = 0; v < type.num_nodes; ++v) type.time.push_back(Time());
  }
  void AddWeights(MemoryGraphSpec::EdgeType& type) {
    type.weight.clear();
    const int zeros = static_cast<int>(Pick({0, 10, 50, 100}));
    for (size_t e = 0; e < type.edges.size(); ++e) {
      const double weight = static_cast<double>(1 + Below(1000)) / 7;
      type.weight.push_back(Chance(zeros) ? (Chance(50) ? 0.0 : -0.0)
                            : Chance(10)  ? weight * 1e-12
                                          : weight);
    }
  }

  // Chooses a precision only for features that exist: else the session is
  // refused.
  void ChoosePrecision() {
    FeatureDType& dtype = case_.batch.options.feature_dtype;
    if (Chance(60)) return;
    constexpr FeatureDType kLower[] = {
        FeatureDType::kFloat16, FeatureDType::kBFloat16, FeatureDType::kInt8};
    dtype = kLower[Below(3)];
    if (!HasWhatItDrawsBy(case_)) dtype = FeatureDType::kStored;
  }

  // Types of each kind that are stored as int8 with scales, and others. Draws
  // no number, so that all else stays the same.
  void ScaleFeatures() {
    uint64_t n = case_.seed;
    for (auto& type : graph_.node_types) type.scaled = n++ % 3 == 1;
    for (auto& type : graph_.edge_types) type.scaled = n++ % 3 == 1;
  }

  // Every second case collects a set of columns of its own, of those that there
  // are. Draws no number.
  void ChooseColumns() {
    if (case_.seed % 2 == 0) return;
    constexpr CollectedColumn kAll[] = {
        CollectedColumn::kX,      CollectedColumn::kY,
        CollectedColumn::kTime,   CollectedColumn::kEdgeAttr,
        CollectedColumn::kWeight, CollectedColumn::kSeedTime};
    CollectedColumns& columns = case_.batch.options.collect;
    columns = CollectedColumns::None();
    uint64_t bits = case_.seed * 0x9E3779B97F4A7C15u >> 40;
    for (const CollectedColumn column : kAll) {
      const CollectedColumns without = columns;
      if (bits % 4 != 0) columns.Add(column);
      if (!HasItsColumns(case_)) columns = without;
      bits /= 4;
    }
  }

  // Every graph stores degrees; without edges they are refused.
  void ChooseDegrees() {
    case_.batch.options.collect_degrees =
        case_.seed % 4 == 1 && HasEdgeTensors(case_);
  }

  // Without edges there are no ids to leave out. Draws no number.
  void ChooseEdgeIds() {
    case_.batch.options.omit_edge_ids =
        case_.seed / 4 % 3 == 1 && HasEdgeTensors(case_);
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
      options.num_neighbors.by_edge_type[type.name()] = Fanouts(hops);
    }
    const auto& input = InputType();
    options.input_type = input.name;
    options.random_seed = random_();
    options.batch_size = static_cast<uint64_t>(1 + Below(12));
    options.replace = Chance(30);
    options.expand = Chance(30) ? ExpandMode::kAll : ExpandMode::kNew;
    options.shuffle = Chance(50) ? ShuffleMode::kNone : ShuffleMode::kGlobal;
    options.collect =
        Chance(80) ? CollectedColumns() : CollectedColumns::None();
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
RandomCase MakeDirectedCase(uint64_t seed) {
  return Maker(seed).MakeDirected();
}
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
  return ExpectedDigest(c.graph, c.batch.options, request.key.epoch,
                        request.key.index, request.input_number,
                        request.original_id, request.input_time);
}

}  // namespace tributary
