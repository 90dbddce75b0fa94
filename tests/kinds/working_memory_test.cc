// A task's memory stays within its reservation, whatever the batch. Every
// allocation of this process is counted.
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <random>
#include <utility>

#include "absl/strings/str_cat.h"
#include "common/session/kinds/layerwise_spec.h"
#include "common/session/kinds/link_spec.h"
#include "common/session/kinds/ppr_spec.h"
#include "common/session/kinds/walk_spec.h"
#include "partition/format/hot_cache.h"
#include "partition/format/testing/graph_builder.h"
#include "partition/writer/hot/hot_cache_writer.h"
#include "sampler_server/engine/testing/features_in_files.h"
#include "sampler_server/engine/testing/one_batch.h"
#include "sampler_server/rows/row_queue.h"
#include "tests/kinds/counted_memory.h"

namespace tributary {
namespace {

struct Outcome {
  uint64_t ready = 0;
  uint64_t needs = 0;
  uint64_t peak = 0;
  uint64_t reserved = 0;
};

// A server's graph and, if it does not have all partitions, those of others and
// its cache of their hot rows.
struct ServedGraph {
  std::shared_ptr<const Graph> graph;
  std::shared_ptr<const Graph> remote;
  std::shared_ptr<const HotCache> hot;
};

// Counts the batch's memory, too.
Outcome Run(const ServedGraph& served, BatchCase batch, uint64_t max_bytes) {
  const std::shared_ptr<const Graph>& graph = served.graph;
  batch.max_bytes = max_bytes;
  BatchRequest request = RequestOf(graph->schema(), batch);
  OneBatchWorld world(graph, served.remote);
  world.set_hot(served.hot.get());
  ThreadPieceReader disk(world.executor());
  const auto rows = std::make_shared<RowQueue>(&disk, RowQueueLimits());
  world.set_rows(rows.get());
  request.deadline = world.Deadline();
  // Tables that all batches share are made by the first one, in memory that
  // counts elsewhere.
  const uint64_t reserved =
      TaskBytes(graph->schema(), request) + request.plan->shared_bytes;
  const int64_t before = StartPeak();
  const auto sink = world.Start(std::move(request));
  (void)world.world().Drain(1'000'000);
  EXPECT_EQ(sink->ends, 1);
  EXPECT_TRUE(sink->failed.ok()) << sink->failed;
  return {sink->ready.value_or(0), sink->needs.value_or(0),
          static_cast<uint64_t>(PeakBytes() - before), reserved};
}

// A batch is made with exactly its size as credit, and refused with less; both
// stay within the reservation. Each refused credit is `step` of the one before.
void ExpectWithinReservation(const ServedGraph& graph, const BatchCase& batch,
                             double step) {
  const uint64_t size = Run(graph, batch, uint64_t{1} << 32).ready;
  ASSERT_GT(size, 250'000u);  // so that what is fixed is a small part
  const Outcome exact = Run(graph, batch, size);
  EXPECT_EQ(exact.ready, size);
  EXPECT_LE(exact.peak, exact.reserved)
      << static_cast<double>(exact.peak) / static_cast<double>(size);
  for (uint64_t less = size - 1; less > 100;
       less = static_cast<uint64_t>(static_cast<double>(less) * step)) {
    const Outcome refused = Run(graph, batch, less);
    EXPECT_GT(refused.needs, less) << "of " << size;
    EXPECT_LE(refused.needs, std::max(size, less + less / 8 + 1));
    EXPECT_LE(refused.peak, refused.reserved) << less << " of " << size;
  }
}

// Uniform in-neighbours of every node, so that few edges share one.
MemoryGraphSpec Uniform(int64_t nodes, int64_t edges) {
  MemoryGraphSpec spec;
  spec.node_types = {{.num_nodes = nodes}};
  MemoryGraphSpec::EdgeType& type = spec.edge_types.emplace_back();
  std::mt19937_64 random(5);
  for (int64_t e = 0; e < edges; ++e) {
    type.edges.emplace_back(random() % nodes, random() % nodes);
  }
  return spec;
}

BatchCase Case(int64_t inputs, std::vector<int32_t> fanouts) {
  BatchCase batch;
  for (int64_t i = 0; i < inputs; ++i) batch.inputs.push_back(i);
  batch.options.num_neighbors.by_default = std::move(fanouts);
  batch.options.batch_size = inputs;
  return batch;
}

// Every column that draws can use; all times are before the inputs'.
MemoryGraphSpec WithColumns(MemoryGraphSpec spec) {
  spec.neighbor_ids = true;
  for (auto& type : spec.node_types) type.time.assign(type.num_nodes, 1);
  for (auto& type : spec.edge_types) {
    type.time.assign(type.edges.size(), 1);
    for (size_t e = 0; e < type.edges.size(); ++e) {
      type.weight.push_back(static_cast<double>(1 + e % 5));
    }
  }
  return spec;
}

// Each draw mode.
std::vector<DrawOptions> AllDraws() {
  return {{.draw = DrawMode::kWeighted},
          {.draw = DrawMode::kWeighted,
           .edge_predicates = *ParseEdgePredicates("edge_weight > 1")},
          {.draw = DrawMode::kLabor},
          {.disjoint = true},
          {.draw = DrawMode::kWeighted, .disjoint = true},
          {.time = TimeMode::kEdge, .input_time = InputTimeMode::kOwn},
          {.time = TimeMode::kNode,
           .temporal_strategy = TemporalStrategy::kLast,
           .input_time = InputTimeMode::kGiven}};
}

BatchCase Drawn(BatchCase batch, const DrawOptions& draws) {
  batch.options.draws = draws;
  if (draws.input_time == InputTimeMode::kGiven) {
    batch.input_time.assign(batch.inputs.size(), 1);
  }
  return batch;
}

struct Shape {
  const char* name;
  uint32_t num_partitions = 1;
  int64_t x_dim = 0;
  bool has_attr = false;
  bool wide_ids = false;
  bool in_files = false;  // features
  bool omit_edge_ids = false;
};

// Whether the batch is of a kind whose batches have edges.
bool HasEdges(const GraphSchema& schema, const BatchCase& batch) {
  return !RequestOf(schema, batch).plan->edge_types.empty();
}

class WorkingMemory : public testing::TestWithParam<Shape> {
 protected:
  std::shared_ptr<const Graph> Make(MemoryGraphSpec spec) {
    spec.num_partitions = GetParam().num_partitions;
    spec.wide_ids = GetParam().wide_ids;
    for (auto& type : spec.node_types) type.x_dim = GetParam().x_dim;
    for (auto& type : spec.edge_types) type.has_attr = GetParam().has_attr;
    std::shared_ptr<const Graph> graph = MemoryGraph::Make(spec);
    if (!GetParam().in_files) return graph;
    return std::make_shared<FeaturesInFiles>(std::move(graph));
  }

  // Close credits on graphs in memory, in one partition and in five; the other
  // shapes add rows to the same steps.
  static void ExpectWithinReservation(const std::shared_ptr<const Graph>& graph,
                                      BatchCase batch) {
    batch.options.omit_edge_ids =
        GetParam().omit_edge_ids && HasEdges(graph->schema(), batch);
    const double step = GetParam().x_dim > 0 || GetParam().has_attr ? 0.4 : 0.7;
    tributary::ExpectWithinReservation({graph, nullptr, nullptr}, batch, step);
  }
};

// As many nodes as edges: local numbering takes the most memory.
TEST_P(WorkingMemory, ATree) {
  const auto graph = Make(Uniform(500'000, 1'500'000));
  ExpectWithinReservation(graph, Case(1000, {4, 4, 4}));
  ExpectWithinReservation(graph, Case(20'000, {1, 1, 1, 1}));
}

// Many edges among few nodes.
TEST_P(WorkingMemory, Dense) {
  const auto graph = Make(Uniform(300, 100'000));
  ExpectWithinReservation(graph, Case(100, {-1, 100}));
  BatchCase replaced = Case(300, {200, 200});
  replaced.options.replace = true;
  replaced.options.expand = ExpandMode::kAll;
  ExpectWithinReservation(graph, replaced);
}

// Every neighbour of a hub, and a last hop that finds little or nothing.
TEST_P(WorkingMemory, AHub) {
  for (const int64_t degree : {80'000, 150'000}) {
    MemoryGraphSpec spec;
    spec.node_types = {{.num_nodes = degree + 1}};
    MemoryGraphSpec::EdgeType& edges = spec.edge_types.emplace_back();
    for (int64_t u = 1; u <= degree; ++u) edges.edges.emplace_back(u, 0);
    ExpectWithinReservation(Make(spec), Case(1, {-1}));
    ExpectWithinReservation(Make(spec), Case(1, {-1, -1}));
    for (int64_t u = 1; u <= degree; u += 3) {
      edges.edges.emplace_back((u * 7919) % (degree + 1), u);
    }
    ExpectWithinReservation(Make(spec), Case(1, {-1, -1, 2}));
  }
}

// Several types whose frontiers are the same nodes.
TEST_P(WorkingMemory, ManyEdgeTypes) {
  MemoryGraphSpec spec = Uniform(100'000, 200'000);
  spec.heterogeneous = true;
  spec.node_types[0].name = "n";
  const MemoryGraphSpec::EdgeType edges = spec.edge_types[0];
  spec.edge_types.clear();
  for (const char* rel : {"a", "b", "c", "d", "e", "f"}) {
    MemoryGraphSpec::EdgeType& type = spec.edge_types.emplace_back(edges);
    type.src = type.dst = "n";
    type.rel = rel;
  }
  const auto graph = Make(spec);
  ExpectWithinReservation(graph, Case(2000, {2, 2, 2}));
  // One fanout for all of them, as many edges.
  ExpectWithinReservation(
      graph, Drawn(Case(2000, {9, 9, 9}), {.draw = DrawMode::kAcrossTypes}));
}

// Few bytes of edges for each node, and as many tensors as there are types.
TEST_P(WorkingMemory, Degrees) {
  BatchCase tree = Case(1000, {4, 4, 4});
  tree.options.collect_degrees = true;
  ExpectWithinReservation(Make(Uniform(500'000, 1'500'000)), tree);
  BatchCase layers = Case(2'000, {1});
  layers.options.collect_degrees = true;
  layers.build_spec = [](const SpecGraph& graph, const SpecOptions& options) {
    return BuildLayerwiseSpec(graph, options, {.nodes_per_layer = {30'000}});
  };
  ExpectWithinReservation(Make(Uniform(100'000, 1'000'000)), layers);
  MemoryGraphSpec spec = Uniform(100'000, 200'000);
  spec.heterogeneous = true;
  spec.edge_types.resize(20, spec.edge_types[0]);
  for (size_t t = 0; t < spec.edge_types.size(); ++t) {
    spec.edge_types[t].rel = absl::StrCat("relation", 100 + t);
    if (t > 2) spec.edge_types[t].edges.resize(1);
  }
  BatchCase typed = Case(2000, {2, 2});
  typed.options.collect_degrees = true;
  ExpectWithinReservation(Make(spec), typed);
}

// Walks of one step, where every node is new, to many steps.
TEST_P(WorkingMemory, Walks) {
  const auto graph = Make(Uniform(100'000, 1'000'000));
  for (const double q : {1.0, 4.0}) {
    for (const uint32_t length : {1, 5, 80}) {
      BatchCase batch = Case(20'000 / length, {1});
      batch.build_spec = [=](const SpecGraph& spec_graph,
                             const SpecOptions& options) {
        return BuildWalkSpec(
            spec_graph, options,
            {.walk_length = length, .walks_per_node = 2, .q = q});
      };
      ExpectWithinReservation(graph, batch);
    }
  }
}

// One wave and many, and inputs whose own first push is large.
TEST_P(WorkingMemory, Ppr) {
  const auto graph = Make(Uniform(100'000, 1'000'000));
  for (const double epsilon : {0.01, 0.0001}) {
    BatchCase batch = Case(epsilon > 0.001 ? 5'000 : 500, {1});
    batch.build_spec = [=](const SpecGraph& spec_graph,
                           const SpecOptions& options) {
      return BuildPprSpec(spec_graph, options,
                          {.top_k = 64, .epsilon = epsilon});
    };
    ExpectWithinReservation(graph, batch);
  }
}

// Few edges kept, and nearly all.
TEST_P(WorkingMemory, Layerwise) {
  const auto sparse = Make(Uniform(100'000, 1'000'000));
  const auto dense = Make(Uniform(300, 100'000));
  const auto batch = [](int64_t inputs, std::vector<uint32_t> layers) {
    BatchCase made = Case(inputs, {1});
    made.build_spec = [=](const SpecGraph& graph, const SpecOptions& options) {
      return BuildLayerwiseSpec(graph, options, {.nodes_per_layer = layers});
    };
    return made;
  };
  ExpectWithinReservation(sparse, batch(20'000, {5'000, 5'000}));
  ExpectWithinReservation(sparse, batch(2'000, {30'000, 30'000}));
  ExpectWithinReservation(dense, batch(100, {250, 400}));
}

NegativeSampling OnesOwn(double amount) {
  NegativeSampling negatives{NegativeMode::kTriplet, amount};
  negatives.given = true;
  return negatives;
}

NegativeSampling ByDegree(double amount) {
  NegativeSampling negatives{NegativeMode::kBinary, amount};
  negatives.degree_power = 0.75;
  return negatives;
}

// Many links with few negatives, and the reverse; whole and in trees.
TEST_P(WorkingMemory, Links) {
  struct {
    int64_t links;
    NegativeSampling negatives;
    int32_t fanout;
  } const cases[] = {{20'000, {}, 2},
                     {10'000, {NegativeMode::kBinary, 0.5}, 2},
                     {2000, {NegativeMode::kBinary, 20}, 0},
                     {2000, {NegativeMode::kTriplet, 20}, 1},
                     {8000, {NegativeMode::kDestination, 3}, 0},
                     {500, OnesOwn(1000), 0},
                     {2000, ByDegree(20), 1}};
  const auto graph = Make(Uniform(100'000, 300'000));
  for (const auto& c : cases) {
    for (const bool disjoint : {false, true}) {
      SCOPED_TRACE(absl::StrCat("mode ", static_cast<int>(c.negatives.mode),
                                " amount ", c.negatives.amount, " disjoint ",
                                disjoint));
      BatchCase batch = Case(0, {c.fanout});
      for (int64_t i = 0; i < c.links; ++i) {
        batch.links.source.push_back(i * 3 % 100'000);
        batch.links.destination.push_back(i * 7 % 100'000);
      }
      if (c.negatives.given) {
        batch.links.negatives = static_cast<uint64_t>(c.negatives.amount);
        for (uint64_t i = 0; i < c.links * batch.links.negatives; ++i) {
          batch.links.negative.push_back(
              static_cast<int64_t>(i * 11 % 100'000));
        }
      }
      batch.options.batch_size = batch.links.size();
      batch.options.draws.disjoint = disjoint;
      batch.build_spec = [&](const SpecGraph& spec_graph,
                             const SpecOptions& options) {
        return BuildLinkSpec(spec_graph, options, c.negatives);
      };
      ExpectWithinReservation(graph, batch);
    }
  }
}

// A few edge types of many links, and many that a batch has hardly any of.
TEST_P(WorkingMemory, LinksOfSeveralEdgeTypes) {
  const NegativeSampling modes[] = {{},
                                    {NegativeMode::kBinary, 1.5},
                                    {NegativeMode::kTriplet, 2},
                                    ByDegree(1)};
  for (const auto& [types, links] : {std::pair(3, 4000), std::pair(150, 200)}) {
    MemoryGraphSpec spec = Uniform(20'000, 20'000);
    spec.heterogeneous = true;
    spec.edge_types.resize(types, spec.edge_types[0]);
    BatchCase batch = Case(0, {0});
    batch.options.links = LinkInputs{};
    for (int t = 0; t < types; ++t) {
      spec.edge_types[t].rel = absl::StrCat("relation", 100 + t);
      const std::string name = spec.edge_types[t].name();
      if (t < 3) batch.options.num_neighbors.by_edge_type[name] = {1};
      if (t >= 3) spec.edge_types[t].edges.resize(1);
      batch.options.links->lists.emplace_back(name, links);
      for (int64_t i = 0; i < links; ++i) {
        batch.links.source.push_back((i * 3 + t) % 20'000);
        batch.links.destination.push_back((i * 7 + t) % 20'000);
      }
    }
    batch.options.batch_size = batch.links.size();
    const auto graph = Make(spec);
    for (const NegativeSampling& mode : modes) {
      if (types > 3 && mode.mode != NegativeMode::kBinary) continue;
      SCOPED_TRACE(
          absl::StrCat(types, " types, mode ", static_cast<int>(mode.mode)));
      batch.build_spec = [&](const SpecGraph& spec_graph,
                             const SpecOptions& options) {
        return BuildLinkSpec(spec_graph, options, mode);
      };
      ExpectWithinReservation(graph, batch);
    }
  }
}

TEST_P(WorkingMemory, EveryDraw) {
  const auto tree = Make(WithColumns(Uniform(100'000, 300'000)));
  const auto dense = Make(WithColumns(Uniform(300, 100'000)));
  for (const DrawOptions& draws : AllDraws()) {
    SCOPED_TRACE(absl::StrCat("draw ", static_cast<int>(draws.draw), " time ",
                              static_cast<int>(draws.time), " disjoint ",
                              draws.disjoint, " predicate ",
                              !draws.edge_predicates.empty()));
    ExpectWithinReservation(tree, Drawn(Case(1000, {4, 4, 4}), draws));
    ExpectWithinReservation(tree, Drawn(Case(10'000, {1, 1, 1, 1}), draws));
    ExpectWithinReservation(dense, Drawn(Case(100, {-1, 100}), draws));
  }
}

// Nodes with the fewest edges between them, and the most; trees of a few nodes.
TEST_P(WorkingMemory, EverySubgraph) {
  const auto tree = Make(Uniform(100'000, 300'000));
  const auto dense = Make(Uniform(3000, 100'000));
  for (const SubgraphType type :
       {SubgraphType::kBidirectional, SubgraphType::kInduced}) {
    for (const bool disjoint : {false, true}) {
      SCOPED_TRACE(absl::StrCat("type ", static_cast<int>(type), " disjoint ",
                                disjoint));
      for (const auto& [graph, batch] :
           {std::pair(tree, Case(1000, {4, 4, 4})),
            std::pair(tree, Case(10'000, {1, 1, 1})),
            std::pair(dense, Case(100, {8, 100}))}) {
        BatchCase subgraph = batch;
        subgraph.options.subgraph.type = type;
        subgraph.options.draws.disjoint = disjoint;
        ExpectWithinReservation(graph, subgraph);
      }
    }
  }
}

// Nodes of two partitions in turn, one feature each. The server has partition 0
// and the cache of it all rows of partition 1.
class HotRows : public testing::Test {
 protected:
  ServedGraph Make(int64_t nodes, int64_t edges) {
    GraphSpec spec{.num_nodes = nodes, .num_partitions = 2};
    std::mt19937_64 random(5);
    for (int64_t e = 0; e < edges; ++e) {
      // From partition 1 to partition 0.
      spec.edges.emplace_back(random() % (nodes / 2) * 2 + 1,
                              random() % (nodes / 2) * 2);
    }
    spec.x.assign(static_cast<size_t>(nodes), 1);
    const std::string path = folder_.File(absl::StrCat("graph", nodes));
    WriteGraphTo(spec, path);
    auto writer = HotCacheWriter::Create(path).value();
    std::vector<uint64_t> ids(static_cast<size_t>(nodes / 2));
    std::iota(ids.begin(), ids.end(), static_cast<uint64_t>(nodes / 2));
    EXPECT_TRUE(writer.Add(0, 0, ids).ok());
    EXPECT_TRUE(writer.Commit("test", /*flush=*/false).ok());
    ServedGraph served;
    served.graph = Graph::Open(path, {.partitions = {0}}).value();
    served.remote = Graph::Open(path).value();
    served.hot = HotCache::Open(path, *served.graph).value();
    EXPECT_EQ(served.hot->num_rows(), ids.size());
    return served;
  }

  // Inputs of partition 0.
  static BatchCase Even(int64_t inputs, int32_t fanout) {
    BatchCase batch = Case(inputs, {fanout});
    for (int64_t& id : batch.inputs) id *= 2;
    return batch;
  }

 private:
  const TemporaryFolder folder_;
};

// Nearly all rows of a batch are of the cache: a few edges for each of them,
// and many edges for few of them.
TEST_F(HotRows, StayWithinTheReservation) {
  const ServedGraph tree = Make(400'000, 1'000'000);
  ExpectWithinReservation(tree, Even(10'000, 4), 0.7);
  ExpectWithinReservation(tree, Even(50'000, 1), 0.7);
  ExpectWithinReservation(Make(600, 100'000), Even(300, -1), 0.7);
}

INSTANTIATE_TEST_SUITE_P(
    Shapes, WorkingMemory,
    testing::Values(Shape{"Bare"}, Shape{"Parted", 5}, Shape{"Rows", 2, 4},
                    Shape{"EdgeRows", 3, 0, true},
                    Shape{"BothRows", 2, 1, true},
                    Shape{"WideIds", 1, 0, false, true},
                    Shape{"NoEdgeIds", 1, 0, false, false, false, true},
                    Shape{"NoEdgeIdsEdgeRows", 3, 0, true, false, false, true},
                    Shape{"RowsInFiles", 2, 4, false, false, true},
                    Shape{"EdgeRowsInFiles", 3, 0, true, false, true}),
    [](const auto& shape) { return std::string(shape.param.name); });

}  // namespace
}  // namespace tributary
