#include "tests/sim/sampled_graph.h"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <iostream>
#include <map>
#include <tuple>
#include <utility>

#include "common/testing/sim_random.h"
#include "partition/format/testing/graph_builder.h"
#include "partition/format/testing/hot_list_of.h"
#include "partition/pipeline/inputs/out_edges.h"
#include "partition/writer/writer.h"
#include "trainer_client/core/session/session_builder.h"

namespace tributary {
namespace {

constexpr uint64_t kRandomSeed = 5;
constexpr int64_t kNodes = 64;
constexpr int64_t kHub = 0;
constexpr int64_t kFeatures = 64;
// Graphs that stay open: a process has at most 65,530 mappings (Linux's
// vm.max_map_count), a graph up to 200 of them, and one in files keeps files
// open.
constexpr size_t kMappedGraphs = 256;
constexpr size_t kGraphsInFiles = 32;
constexpr char kOtherType[] = "node,via,node";

void AddColumns(bool masks, GraphSpec* graph) {
  graph->neighbor_ids = true;
  for (size_t e = 0; e < graph->edges.size(); ++e) {
    graph->weight.push_back(static_cast<double>(e * 7 % 5));
    graph->edge_time.push_back(static_cast<int64_t>(e * 13 % 50));
  }
  if (masks) {
    for (size_t e = 0; e < graph->edges.size(); ++e) {
      graph->masks["held_out"].push_back(e % 11 == 3 ? 1 : 0);
      graph->masks["train"].push_back(e * 5 % 7 < 5 ? 1 : 0);
    }
  }
  for (int64_t i = 0; i < graph->num_nodes; ++i) {
    graph->node_time.push_back(i * 11 % 30);
  }
}

// Parallel edges, self loops, a hub, isolated nodes; batches of 1 to 12 KB.
GraphSpec MakeSpec(uint32_t num_partitions, bool columns, bool masks) {
  GraphSpec graph;
  graph.num_nodes = kNodes;
  graph.degrees = true;
  SimRandom random(1, "graph");
  for (int i = 0; i < 300; ++i) {
    const auto u = static_cast<int64_t>(random.Below(kNodes - 4));
    const auto v = static_cast<int64_t>(random.Below(kNodes - 4));
    graph.edges.push_back({u, i % 5 == 0 ? kHub : v});
  }
  graph.x_dim = kFeatures;
  for (int64_t i = 0; i < kNodes * kFeatures; ++i) {
    graph.x.push_back(static_cast<float>(i) / 8);
  }
  for (int64_t i = 0; i < kNodes; ++i) graph.y.push_back(i % 7);
  graph.num_partitions = num_partitions;
  if (columns) AddColumns(masks, &graph);
  return graph;
}

// Schedule::draws
enum Way { kUniform, kWeighted, kLabor, kDisjoint, kEdgeTime, kNodeTime };
static_assert(kNodeTime + 1 == kSimDrawWays);

DrawOptions DrawsOf(const Schedule& schedule) {
  switch (static_cast<Way>(schedule.draws)) {
    case kUniform:
      return {};
    case kWeighted:
      return {.draw = DrawMode::kWeighted};
    case kLabor:
      return {.draw = DrawMode::kLabor, .layer_dependency = true};
    case kDisjoint:
      return {.disjoint = true};
    case kEdgeTime:
      return {.time = TimeMode::kEdge,
              .strict = true,
              .input_time = InputTimeMode::kGiven};
    case kNodeTime:  // kLast has no replacement
      return {.time = TimeMode::kNode,
              .temporal_strategy = schedule.replace == 0
                                       ? TemporalStrategy::kLast
                                       : TemporalStrategy::kUniform,
              .input_time = InputTimeMode::kOwn};
  }
  return {};
}

// Labor's edges have weights, and those between nodes know no time. Links
// without negatives may have enclosing subgraphs.
bool HasSubgraph(const Schedule& schedule) {
  const DrawOptions draws = DrawsOf(schedule);
  return (schedule.links == 0 ||
          (schedule.links == 1 && schedule.subgraph == 2)) &&
         draws.draw != DrawMode::kLabor &&
         (schedule.subgraph != 2 ||
          (draws.time == TimeMode::kNone && schedule.predicates == 0));
}

FeatureDType PrecisionOf(const Schedule& schedule) {
  constexpr FeatureDType kPrecisions[] = {
      FeatureDType::kStored, FeatureDType::kFloat16, FeatureDType::kBFloat16,
      FeatureDType::kInt8};
  return kPrecisions[schedule.features];
}

bool NeedsColumns(const Schedule& schedule) {
  return schedule.predicates != 0 ||
         (schedule.draws != kUniform && schedule.draws != kDisjoint);
}

template <typename T>
T OrDie(absl::StatusOr<T> value) {
  if (value.ok()) return *std::move(value);
  std::cerr << "the simulation's own graph: " << value.status() << "\n";
  std::abort();
}

template <typename T>
std::vector<T> EveryOther(const std::vector<T>& values, size_t first) {
  std::vector<T> some;
  for (size_t i = first; i < values.size(); i += 2) some.push_back(values[i]);
  return some;
}

// Returns the graph with every other edge in a second edge type.
GraphContent OfTwoTypes(const GraphSpec& spec) {
  GraphContent content;
  for (size_t second = 0; second < 2; ++second) {
    GraphSpec some = spec;
    some.edges = EveryOther(spec.edges, second);
    some.weight = EveryOther(spec.weight, second);
    some.edge_time = EveryOther(spec.edge_time, second);
    for (auto& [name, mask] : some.masks) mask = EveryOther(mask, second);
    GraphContent made = MakeContent(some);
    made.edge_types[0].rel = second == 0 ? "to" : "via";
    content.edge_types.push_back(std::move(made.edge_types[0]));
    if (second == 0) content.node_types = std::move(made.node_types);
  }
  content.name = "typed";
  content.heterogeneous = true;
  return content;
}

// Returns the graph with its edges stored by source, too.
GraphContent WithOutEdges(const GraphSpec& spec) {
  GraphContent content = MakeContent(spec);
  const absl::Status added = AddOutEdges(&content);
  if (!added.ok()) OrDie<int>(added);
  return content;
}

void WriteContent(const GraphContent& content, const GraphSpec& spec,
                  const std::string& folder) {
  NodePlan plan{spec.num_partitions, "test", {{}}};
  for (int64_t v = 0; v < spec.num_nodes; ++v) {
    plan.partition_of[0].push_back(
        static_cast<uint16_t>(v % spec.num_partitions));
  }
  OrDie(WriteGraph(content, std::move(plan), folder,
                   {.made_by = "test",
                    .flush = false,
                    .neighbor_ids = spec.neighbor_ids,
                    .degrees = spec.degrees}));
}

// Returns the links `first`, `first` + `step`, ... below `count`. Where the
// mode allows it and expand_all is set, they bring their own negatives.
EdgeTypeLinks SomeLinks(const Schedule& schedule, size_t first, size_t step,
                        size_t count) {
  const auto mode = static_cast<NegativeMode>(schedule.links - 1);
  EdgeTypeLinks list;
  std::vector<int64_t> labels;
  for (size_t i = first; i < count; i += step) {
    const auto n = static_cast<int64_t>(i);
    list.source.push_back(n % kNodes);
    list.destination.push_back(n * 5 % kNodes);
    labels.push_back(n % 3);
    if (DrawsOf(schedule).time != TimeMode::kNone) {
      list.edge_label_time.push_back(20 + n % 30);
    }
    if (mode >= NegativeMode::kTriplet && schedule.expand_all != 0) {
      list.neg_destination.push_back(n * 7 % kNodes);
    }
  }
  if (mode != NegativeMode::kTriplet) list.edge_label = std::move(labels);
  return list;
}

// Returns as many links as there would be nodes; they bring their own times.
LinkOptions LinksOf(const Schedule& schedule, size_t count,
                    NeighborOptions neighbors) {
  LinkOptions link;
  // A link has up to four ends where a node is one: fewer neighbours keep the
  // batch within its room.
  neighbors.num_neighbors = {1};
  link.lists.push_back(
      SomeLinks(schedule, 0, schedule.link_types != 0 ? 2 : 1, count));
  if (schedule.link_types != 0) {
    neighbors.num_neighbors.by_edge_type = {{kOtherType, {0}}};
    link.lists[0].edge_type = "node,to,node";
    link.lists.push_back(SomeLinks(schedule, 1, 2, count));
    link.lists[1].edge_type = kOtherType;
  }
  if (neighbors.draws.time != TimeMode::kNone) {
    neighbors.draws.input_time = InputTimeMode::kGiven;
  }
  link.negatives.mode = static_cast<NegativeMode>(schedule.links - 1);
  link.negatives.amount =
      link.negatives.mode == NegativeMode::kBinary ? 0.5 : 1;
  link.enclosing = neighbors.subgraph.type == SubgraphType::kInduced;
  neighbors.draws.disjoint |= link.enclosing;
  link.neighbors = std::move(neighbors);
  if (!link.lists[0].neg_destination.empty()) return link;
  if (link.negatives.mode == NegativeMode::kNone) return link;
  if (schedule.replace != 0) link.negatives.degree_power = 0.75;
  if (link.neighbors.draws.time == TimeMode::kNode) {
    link.negatives.on_exhausted = OnExhausted::kAccept;
  }
  return link;
}

NeighborOptions NeighborsOf(const Schedule& schedule) {
  NeighborOptions neighbors;
  neighbors.num_neighbors = {3, 2};
  neighbors.draws = DrawsOf(schedule);
  if (schedule.predicates != 0) {
    const bool masks = schedule.predicates == kSimMasks;
    neighbors.draws.edge_predicates = OrDie(ParseEdgePredicates(
        masks ? "edge_mask[held_out] == 0 and edge_time < 45"
              : "edge_weight > 0 and edge_time < 40"));
    if (masks) neighbors.draws.edge_mask = "train";
  }
  if (HasSubgraph(schedule)) {
    neighbors.subgraph.type = static_cast<SubgraphType>(schedule.subgraph);
  }
  if (neighbors.subgraph.type == SubgraphType::kDirectional) {
    neighbors.draws.edge_dir = static_cast<EdgeDirection>(schedule.edge_dir);
  }
  // Fewer neighbours keep the batch within its room.
  if (neighbors.draws.edge_dir == EdgeDirection::kBoth) {
    neighbors.num_neighbors = {2, 1};
  }
  // LABOR has no replacement.
  neighbors.replace = schedule.replace != 0 && schedule.draws != kLabor;
  neighbors.expand_all = schedule.expand_all != 0;
  return neighbors;
}

KindOptions KindOf(const Schedule& schedule,
                   const std::vector<int64_t>& nodes) {
  if (schedule.kind == kSimPpr) {
    return PprOptions{.top_k = 5,
                      .alpha = schedule.replace != 0 ? 0.5 : 0.15,
                      .epsilon = schedule.expand_all != 0 ? 0.1 : 0.01};
  }
  if (schedule.kind == kSimLayerwise) {
    return LayerwiseOptions{
        .nodes_per_layer = {4, 3},
        .importance = schedule.replace != 0      ? LayerImportance::kUniform
                      : schedule.expand_all != 0 ? LayerImportance::kFastGcn
                                                 : LayerImportance::kLadies};
  }
  if (schedule.kind == kSimWalks) {
    return WalkOptions{.walk_length = 6,
                       .walks_per_node = 2,
                       .restart_prob = schedule.replace != 0 ? 0.2 : 0,
                       .q = schedule.expand_all != 0 ? 1.0 : 4.0};
  }
  NeighborOptions neighbors = NeighborsOf(schedule);
  if (schedule.links != 0) {
    return LinksOf(schedule, nodes.size(), std::move(neighbors));
  }
  if (neighbors.draws.input_time == InputTimeMode::kGiven) {
    for (int64_t id : nodes) neighbors.input_time.push_back(20 + id % 30);
  }
  return neighbors;
}

LoaderSession MakeSession(const Schedule& schedule, int64_t job, uint32_t rank,
                          uint32_t world) {
  const auto graph =
      SimulatedGraph(schedule, static_cast<uint32_t>(schedule.partitions), {});
  // The last batch is short.
  std::vector<int64_t> nodes(schedule.batches * kSimBatchSize - 1);
  for (size_t i = 0; i < nodes.size(); ++i) {
    nodes[i] = static_cast<int64_t>(i) % kNodes;
  }
  SessionOptions options;
  options.kind = KindOf(schedule, nodes);
  if (schedule.links == 0) options.input_nodes = std::move(nodes);
  options.batch_size = kSimBatchSize;
  options.random_seed = kRandomSeed + static_cast<uint64_t>(job);
  options.feature_dtype = PrecisionOf(schedule);
  const bool edges = schedule.kind != kSimWalks && schedule.kind != kSimPpr;
  options.omit_edge_ids = schedule.omit_edge_ids != 0 && edges;
  options.rank = rank;
  options.world = world;
  return OrDie(tributary::MakeSession(
      options, std::make_shared<AcceptedGraph>(
                   AcceptedGraph{graph->schema_json(), graph->schema()})));
}

}  // namespace

std::vector<uint32_t> PartitionsOfServer(const Schedule& schedule, int server) {
  const auto servers = static_cast<int>(schedule.servers);
  std::vector<uint32_t> mine;
  for (int p = 0; p < schedule.partitions; ++p) {
    const int behind = (server - p % servers + servers) % servers;
    if (behind < schedule.owners) mine.push_back(static_cast<uint32_t>(p));
  }
  if (mine.empty()) {
    mine.push_back(static_cast<uint32_t>(server % schedule.partitions));
  }
  return mine;
}

std::shared_ptr<const Graph> SimulatedGraph(const Schedule& schedule,
                                            uint32_t num_partitions,
                                            std::vector<uint32_t> partitions) {
  const bool columns = NeedsColumns(schedule);
  // Each graph is written once, because writing flushes to disk, and opened for
  // each set of partitions.
  using Written = std::tuple<uint32_t, bool, bool, bool, bool, bool>;
  const bool masks = schedule.predicates == kSimMasks;
  const bool out_edges = schedule.edge_dir != 0;
  const bool typed = schedule.link_types != 0;
  const bool scaled = schedule.scaled != 0;
  const Written written(num_partitions, columns, masks, out_edges, typed,
                        scaled);
  static std::map<Written, std::unique_ptr<TemporaryFolder>> folders;
  using Graphs = std::map<std::pair<Written, std::vector<uint32_t>>,
                          std::shared_ptr<const Graph>>;
  static auto& all_graphs = *new std::array<Graphs, 2>;  // in files: the second
  const bool in_files = schedule.disk_us != 0;
  Graphs& graphs = all_graphs[in_files ? 1 : 0];
  if (graphs.size() >= (in_files ? kGraphsInFiles : kMappedGraphs) &&
      !graphs.contains({written, partitions})) {
    graphs.erase(graphs.begin());
  }
  auto& graph = graphs[{written, partitions}];
  if (graph != nullptr) return graph;
  auto& folder = folders[written];
  if (folder == nullptr) {
    folder = std::make_unique<TemporaryFolder>();
    GraphSpec spec = MakeSpec(num_partitions, columns, masks);
    spec.scaled = scaled;
    const GraphContent content = typed       ? OfTwoTypes(spec)
                                 : out_edges ? WithOutEdges(spec)
                                             : MakeContent(spec);
    WriteContent(content, spec, folder->File("graph"));
  }
  graph = OrDie(Graph::Open(folder->File("graph"),
                            {.partitions = std::move(partitions),
                             .features = in_files ? FeatureMemory::kPaged
                                                  : FeatureMemory::kResident}));
  return graph;
}

// Whole, and in memory.
static std::shared_ptr<const Graph> MappedGraph(Schedule schedule) {
  schedule.disk_us = 0;
  return SimulatedGraph(schedule, static_cast<uint32_t>(schedule.partitions),
                        {});
}

std::shared_ptr<const HotList> SimulatedHotList(const Schedule& schedule,
                                                uint64_t which) {
  return HotListOf(*MappedGraph(schedule), which);
}

HeldRowsOf SimulatedHeldRows(const Schedule& schedule) {
  constexpr uint32_t kRowsOfPiece = 5;
  return {MappedGraph(schedule), SimulatedHotList(schedule, 0),
          PrecisionOf(schedule), kRowsOfPiece};
}

std::shared_ptr<const Graph> StrangersGraph() {
  static auto& graph = *new std::shared_ptr<const Graph>(
      BuildGraph({.num_nodes = kNodes, .edges = {{1, 0}, {2, 0}}}));
  return graph;
}

LoaderSession SimulatedSession(const Schedule& schedule, int64_t job,
                               uint32_t rank, uint32_t world) {
  using Key = std::tuple<int64_t, int64_t, int64_t, int64_t, int64_t, int64_t,
                         int64_t, int64_t, int64_t, int64_t, int64_t, int64_t,
                         int64_t, int64_t, int64_t, uint32_t, uint32_t>;
  static auto& sessions = *new std::map<Key, LoaderSession>;
  const Key key{schedule.partitions,
                schedule.replace,
                schedule.expand_all,
                schedule.kind,
                schedule.links,
                schedule.link_types,
                schedule.draws,
                schedule.predicates,
                schedule.subgraph,
                schedule.edge_dir,
                schedule.features,
                schedule.scaled,
                schedule.omit_edge_ids,
                schedule.batches,
                job,
                rank,
                world};
  auto it = sessions.find(key);
  if (it == sessions.end()) {
    it = sessions.emplace(key, MakeSession(schedule, job, rank, world)).first;
  }
  return it->second;
}

ExpectedBatch ExpectedBatch::From(const BatchView& view, uint64_t room_bytes) {
  ExpectedBatch batch;
  batch.room_bytes = room_bytes;
  batch.digest = ToHex(view.Digest());
  for (const TensorView& tensor : view.tensors()) {
    batch.tensors.push_back({tensor.name,
                             tensor.dtype,
                             tensor.shape,
                             {tensor.data.begin(), tensor.data.end()}});
  }
  return batch;
}

bool ExpectedBatch::Matches(const BatchView& view) const {
  return std::equal(
      tensors.begin(), tensors.end(), view.tensors().begin(),
      view.tensors().end(), [](const Tensor& a, const TensorView& b) {
        return a.name == b.name && a.dtype == b.dtype && a.shape == b.shape &&
               std::equal(a.data.begin(), a.data.end(), b.data.begin(),
                          b.data.end());
      });
}

}  // namespace tributary
