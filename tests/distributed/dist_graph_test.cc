// The properties of DGL's DistGraph, on every fleet and partitioning.
#include "trainer_client/graph/dist_graph.h"

#include <algorithm>
#include <functional>
#include <numeric>
#include <set>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "partition/format/graph.h"
#include "partition/pipeline/inputs/input.h"
#include "tests/distributed/graph_fleet.h"
#include "trainer_client/core/batch/hetero_batch.h"
#include "trainer_client/core/dist_neighbor_loader.h"
#include "trainer_client/graph/node_split.h"

namespace tributary {
namespace {

using ::testing::ElementsAre;
using ::testing::FloatNear;
using ::testing::HasSubstr;
using ::testing::IsSupersetOf;
using ::testing::Pointwise;

std::vector<int64_t> UpTo(int64_t n) {
  std::vector<int64_t> ids(static_cast<size_t>(n));
  std::iota(ids.begin(), ids.end(), 0);
  return ids;
}

// The edges of a type by id, straight from the content.
std::map<int64_t, std::pair<int64_t, int64_t>> EdgesOf(
    const EdgeContent& edges) {
  std::map<int64_t, std::pair<int64_t, int64_t>> by_id;
  const Adjacency& in = edges.in_edges;
  for (int64_t v = 0; v < in.num_nodes(); ++v) {
    for (uint64_t i = in.indptr()[v]; i < in.indptr()[v + 1]; ++i) {
      by_id[in.edge(i).edge_id] = {in.edge(i).neighbor, v};
    }
  }
  return by_id;
}

// Edges as a set, whatever their order.
std::set<std::vector<int64_t>> AsSet(const EdgeList& edges) {
  std::set<std::vector<int64_t>> set;
  for (size_t i = 0; i < edges.size(); ++i) {
    set.insert({edges.e_id[i], edges.src[i], edges.dst[i]});
  }
  return set;
}

std::string CodeOf(const absl::Status& status) {
  return absl::StatusCodeToString(status.code());
}

// 60 nodes with x = id, 300 edges with edge_attr = id, parallel ones and loops
// among them.
GraphContent MadeUp(bool scaled = false) {
  GraphSpec spec;
  spec.scaled = scaled;
  spec.num_nodes = 60;
  for (int64_t i = 0; i < 300; ++i) {
    spec.edges.emplace_back((i * i + 3) % 60, (i * 11 + i / 7) % 59);
    spec.edge_attr.push_back(static_cast<float>(i));
    spec.weight.push_back(static_cast<double>(i % 5));
    spec.edge_time.push_back(1000 - i);
    spec.masks["held_out"].push_back(i % 3 == 0);
  }
  spec.edge_attr_dim = 0;
  for (int64_t v = 0; v < 60; ++v) {
    spec.x.push_back(static_cast<float>(v));
    spec.x.push_back(static_cast<float>(-v));
    spec.y.push_back(100 + v);
  }
  spec.x_dim = 2;
  spec.splits = {{"train", {7, 3, 59, 0}}, {"time/valid", {1, 2}}};
  spec.edge_splits["train"] = {0, 0, 299, 0, 0, 0, 5, 5, -1};
  return MakeContent(spec);
}

struct Fleet {
  uint32_t partitions;
  int servers;
};

class DistGraphTest : public testing::TestWithParam<Fleet> {
 protected:
  GraphFleetOptions Options() const {
    return {.partitions = GetParam().partitions, .servers = GetParam().servers};
  }
};

TEST_P(DistGraphTest, FeatureIsOfItsId) {
  GraphFleet fleet(MadeUp(), Options());
  auto graph = fleet.Open();
  EXPECT_EQ(*graph->num_nodes(), 60);
  EXPECT_EQ(*graph->num_edges(), 300);
  EXPECT_THAT(graph->ntypes(), ElementsAre("node"));
  EXPECT_THAT(graph->canonical_etypes(), ElementsAre("node,to,node"));
  EXPECT_THAT(graph->etypes(), ElementsAre("to"));

  GraphData& nodes = **graph->ndata();
  EXPECT_THAT(nodes.Names(),
              ElementsAre("time/valid_mask", "train_mask", "x", "y"));
  EXPECT_EQ(*nodes.ColumnOf("x"), (ColumnSchema{DType::kFloat32, 2}));
  EXPECT_EQ(*nodes.ColumnOf("train_mask"), (ColumnSchema{DType::kUint8, 0}));
  EXPECT_EQ(CodeOf(nodes.ColumnOf("z").status()), "NOT_FOUND");
  const std::vector<int64_t> ids = {59, 0, 7, 7, 31, 12};
  const GraphRows x = nodes.Read("feat", ids).value();
  EXPECT_EQ(x.dtype, DType::kFloat32);
  EXPECT_EQ(x.dim, 2);
  EXPECT_THAT(x.As<float>(),
              ElementsAre(59, -59, 0, 0, 7, -7, 7, -7, 31, -31, 12, -12));
  EXPECT_THAT(nodes.Read("label", ids)->As<int64_t>(),
              ElementsAre(159, 100, 107, 107, 131, 112));
  EXPECT_THAT(nodes.Read("train_mask", ids)->As<uint8_t>(),
              ElementsAre(1, 1, 1, 1, 0, 0));
  EXPECT_THAT(nodes.Read("time/valid_mask", {1, 2, 3})->As<uint8_t>(),
              ElementsAre(1, 1, 0));
  EXPECT_EQ(nodes.Read("x", {})->num_rows, 0u);

  GraphData& edges = **graph->edata();
  EXPECT_THAT(edges.Names(), ElementsAre("edge_attr", "held_out", "id", "time",
                                         "train_mask", "weight"));
  const std::vector<int64_t> edge_ids = {299, 0, 5, 150};
  EXPECT_THAT(edges.Read("feat", edge_ids)->As<float>(),
              ElementsAre(299, 0, 5, 150));
  EXPECT_THAT(edges.Read("id", edge_ids)->As<int64_t>(),
              ElementsAre(299, 0, 5, 150));
  EXPECT_THAT(edges.Read("w", edge_ids)->As<double>(), ElementsAre(4, 0, 0, 0));
  EXPECT_THAT(edges.Read("time", edge_ids)->As<int64_t>(),
              ElementsAre(701, 1000, 995, 850));
  EXPECT_THAT(edges.Read("held_out", edge_ids)->As<uint8_t>(),
              ElementsAre(0, 1, 0, 1));
  EXPECT_THAT(edges.Read("train_mask", edge_ids)->As<uint8_t>(),
              ElementsAre(1, 1, 0, 0));
}

// Rows stored as int8 with a scale: of two numbers of one magnitude nothing but
// the last bits is lost.
TEST_P(DistGraphTest, ScaledFeaturesAreReadAsFloat32) {
  GraphFleet fleet(MadeUp(/*scaled=*/true), Options());
  auto graph = fleet.Open();
  const GraphRows x = (*graph->ndata())->Read("x", {59, 0, 7}).value();
  EXPECT_EQ(x.dtype, DType::kFloat32);
  EXPECT_EQ(x.dim, 2);
  EXPECT_THAT(x.As<float>(),
              Pointwise(FloatNear(1e-5), {59, -59, 0, 0, 7, -7}));
  const GraphRows attr = (*graph->edata())->Read("x", {299, 0, 5}).value();
  EXPECT_EQ(attr.dtype, DType::kFloat32);
  EXPECT_THAT(attr.As<float>(), Pointwise(FloatNear(1e-4), {299, 0, 5}));
}

TEST_P(DistGraphTest, EdgesFoundExist) {
  const GraphContent content = MadeUp();
  GraphFleet fleet(content, Options());
  auto graph = fleet.Open();
  const auto expected = EdgesOf(content.edge_types[0]);
  std::vector<int64_t> ids = UpTo(300);
  std::reverse(ids.begin(), ids.end());
  ids.push_back(5);
  const EdgeEnds ends = graph->FindEdges(ids).value();
  for (size_t i = 0; i < ids.size(); ++i) {
    EXPECT_EQ(std::pair(ends.src[i], ends.dst[i]), expected.at(ids[i]));
  }
  const auto edges = graph->EdgeSubgraph({{"to", {4, 250}}}).value();
  ASSERT_EQ(edges.size(), 1u);
  const EdgeList& list = edges.at("node,to,node");
  EXPECT_THAT(list.e_id, ElementsAre(4, 250));
  EXPECT_EQ(std::pair(list.src[1], list.dst[1]), expected.at(250));
  EXPECT_EQ(CodeOf(graph->FindEdges({300}).status()), "OUT_OF_RANGE");
  EXPECT_EQ(CodeOf(graph->FindEdges({-1}).status()), "OUT_OF_RANGE");
}

// More ids than one call carries (65,536), in an order of no period.
TEST_P(DistGraphTest, ManyIdsTakeSeveralCalls) {
  const GraphContent content = MadeUp();
  GraphFleet fleet(content, Options());
  auto graph = fleet.Open();
  const auto expected = EdgesOf(content.edge_types[0]);
  std::vector<int64_t> nodes, edges;
  uint64_t state = 1;
  for (int i = 0; i < 140'001; ++i) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    nodes.push_back(static_cast<int64_t>((state >> 33) % 60));
    edges.push_back(static_cast<int64_t>((state >> 33) % 300));
  }
  const EdgeEnds ends = graph->FindEdges(edges).value();
  ASSERT_EQ(ends.src.size(), edges.size());
  for (size_t i = 0; i < edges.size(); ++i) {
    ASSERT_EQ(std::pair(ends.src[i], ends.dst[i]), expected.at(edges[i])) << i;
  }
  const PartitionBook& book = graph->partition_book();
  EXPECT_EQ(*book.ToOriginal(book.ToInternal(nodes).value()), nodes);
  const GraphRows y = (*graph->ndata())->Read("y", nodes).value();
  const auto few = graph->InDegrees(UpTo(60)).value();
  const auto degrees = graph->InDegrees(nodes).value();
  for (size_t i = 0; i < nodes.size(); ++i) {
    ASSERT_EQ(y.As<int64_t>()[i], 100 + nodes[i]) << i;
    ASSERT_EQ(degrees[i], few[nodes[i]]) << i;
  }
}

TEST_P(DistGraphTest, DegreesAreThoseOfTheEdges) {
  const GraphContent content = MadeUp();
  std::vector<int64_t> in(60), out(60);
  for (const auto& [id, ends] : EdgesOf(content.edge_types[0])) {
    ++out[ends.first];
    ++in[ends.second];
  }
  GraphFleet fleet(content, Options());
  auto graph = fleet.Open();
  EXPECT_EQ(*graph->InDegrees(UpTo(60)), in);
  EXPECT_EQ(*graph->OutDegrees(UpTo(60)), out);
  EXPECT_EQ(CodeOf(graph->InDegrees({60}).status()), "OUT_OF_RANGE");
}

TEST_P(DistGraphTest, InSubgraphHasAllEdgesOfTheNodes) {
  const GraphContent content = MadeUp();
  GraphFleet fleet(content, Options());
  auto graph = fleet.Open();
  const std::set<int64_t> nodes = {3, 59, 0, 17, 18};
  std::set<std::vector<int64_t>> expected;
  for (const auto& [id, ends] : EdgesOf(content.edge_types[0])) {
    if (nodes.count(ends.second) == 0) continue;
    expected.insert({id, ends.first, ends.second});
  }
  const auto edges =
      graph->InSubgraph({{"node", {3, 59, 0, 17, 18, 3}}}).value();
  EXPECT_EQ(AsSet(edges.at("node,to,node")), expected);
  EXPECT_EQ(edges.at("node,to,node").size(), expected.size());
}

// Whether a call waits already or begins later.
TEST(DistGraphCancelTest, EndsCallsOfOtherThreads) {
  GraphFleet fleet(MadeUp(), {.partitions = 1, .servers = 1});
  const auto graph = fleet.Open();
  fleet.StopServer(0);  // calls wait for it until their deadline
  const std::vector<std::function<absl::Status()>> calls = {
      [&] { return (*graph->ndata())->Read("x", {1}).status(); },
      [&] { return (*graph->ndata())->Read("train_mask", {1}).status(); },
      [&] {
        return graph->InSubgraph({{"", {1}}}).status();
      },
      [&] {
        return graph->InSubgraph({{"", {2}}}).status();
      }};
  std::vector<absl::Status> ends(calls.size());
  std::vector<std::thread> threads;
  for (size_t i = 0; i < calls.size(); ++i) {
    threads.emplace_back([&, i] { ends[i] = calls[i](); });
  }
  graph->Cancel();
  for (std::thread& thread : threads) thread.join();
  for (const absl::Status& end : ends) EXPECT_EQ(CodeOf(end), "CANCELLED");
  EXPECT_EQ(CodeOf(graph->InDegrees({1}).status()), "CANCELLED");
}

// A call has the edges that a loader of these nodes has at that index.
TEST_P(DistGraphTest, SamplesAreALoadersBatches) {
  const GraphContent content = MadeUp();
  GraphFleet fleet(content, Options());
  auto graph = fleet.Open();
  const auto all = EdgesOf(content.edge_types[0]);
  const std::vector<int64_t> nodes = {8, 5, 30, 41};
  for (const bool weighted : {false, true}) {
    const SampleOptions options{.key = {.random_seed = 5, .index = 2},
                                .prob = weighted ? "weight" : ""};
    const auto edges =
        graph->SampleNeighbors({{"node", nodes}}, 3, options).value();
    const EdgeList& list = edges.at("node,to,node");
    std::map<int64_t, int64_t> found;
    for (size_t i = 0; i < list.size(); ++i) {
      EXPECT_EQ(std::pair(list.src[i], list.dst[i]), all.at(list.e_id[i]));
      ++found[list.dst[i]];
      if (weighted) {
        EXPECT_NE(list.e_id[i] % 5, 0);  // weight 0
      }
    }
    if (!weighted) {
      const auto degrees = graph->InDegrees(nodes).value();
      for (size_t i = 0; i < nodes.size(); ++i) {
        EXPECT_EQ(found[nodes[i]], std::min<int64_t>(3, degrees[i]));
      }
    }
    NeighborLoaderOptions loader_options;
    // Batch 2 of these: after two of others.
    loader_options.input_nodes = nodes;
    loader_options.batch_size = nodes.size();
    loader_options.shuffle = ShuffleMode::kNone;
    loader_options.num_neighbors = {3};
    loader_options.random_seed = 5;
    loader_options.collect = CollectedColumns::None();
    if (weighted) loader_options.draws.draw = DrawMode::kWeighted;
    auto loader =
        DistNeighborLoader::Create(loader_options, fleet.workers().loader(),
                                   fleet.workers().environment())
            .value();
    Cursor cursor = loader->CursorAfter(0);
    cursor.next_index = 2;
    ASSERT_TRUE(loader->Resume(cursor).ok());
    auto batch = loader->Next().value();
    ASSERT_TRUE(batch.has_value());
    const HeteroBatch typed =
        ToTypedBatch(batch->view(), loader->schema()).value();
    const auto e_id = typed.edges.at("node,to,node").e_id;
    EXPECT_EQ(list.e_id, std::vector<int64_t>(e_id.begin(), e_id.end()));
  }
}

TEST_P(DistGraphTest, KeysAndSessionsAlternate) {
  GraphFleet fleet(MadeUp(), Options());
  auto graph = fleet.Open();
  const NodesByType nodes = {{"", {8, 5, 30, 41, 2, 19}}};
  const auto first = graph->SampleNeighbors(nodes, 2, {.key = {1, 0}}).value();
  const auto other = graph->SampleNeighbors(nodes, 2, {.key = {1, 7}}).value();
  const auto third = graph->SampleNeighbors(nodes, 2, {.key = {2, 0}}).value();
  EXPECT_NE(first, other);
  EXPECT_NE(first, third);
  for (int i = 0; i < 5; ++i) {
    EXPECT_EQ(graph->SampleNeighbors(nodes, 2, {.key = {1, 0}}).value(), first);
    EXPECT_EQ(graph->SampleNeighbors(nodes, 2, {.key = {1, 7}}).value(), other);
    // Another handle over the same servers.
    EXPECT_EQ(fleet.Open()->SampleNeighbors(nodes, 2, {.key = {2, 0}}).value(),
              third);
  }
  const auto drawn =
      graph->SampleNeighbors(nodes, 50, {.key = {1, 0}, .replace = true});
  for (int64_t v : nodes.at("")) {
    const auto& dst = drawn->at("node,to,node").dst;
    const auto degree = graph->InDegrees({v})->at(0);
    EXPECT_EQ(std::count(dst.begin(), dst.end(), v), degree > 0 ? 50 : 0);
  }
  const auto masked =
      graph->SampleNeighbors(nodes, -1, {.edge_mask = "held_out"});
  for (int64_t id : masked->at("node,to,node").e_id) EXPECT_EQ(id % 3, 0);
}

TEST_P(DistGraphTest, PartitionBookIsTheFolders) {
  GraphFleet fleet(MadeUp(), Options());
  auto graph = fleet.Open();
  const auto stored = Graph::Open(fleet.folder()).value();
  const PartitionBook& book = graph->partition_book();
  ASSERT_EQ(book.num_partitions(), GetParam().partitions);
  const auto partitions = book.NodePartitions(UpTo(60)).value();
  const auto internal = book.ToInternal(UpTo(60)).value();
  const auto& base = stored->schema().node_types[0].base;
  for (int64_t v = 0; v < 60; ++v) {
    const auto at = stored->node_map(0).Locate(v).value();
    EXPECT_EQ(partitions[v], at.partition);
    EXPECT_EQ(internal[v], base[at.partition] + static_cast<int64_t>(at.row));
  }
  EXPECT_EQ(*book.ToOriginal(internal), UpTo(60));
  const auto edge_partitions = book.EdgePartitions(UpTo(300)).value();
  std::vector<int64_t> nodes, edges;
  for (uint32_t p = 0; p < book.num_partitions(); ++p) {
    const auto own_nodes = book.NodesOf(p).value();
    for (int64_t v : own_nodes) {
      EXPECT_EQ(partitions[v], p);
      nodes.push_back(v);
    }
    const auto own_edges = book.EdgesOf(p).value();
    for (int64_t e : own_edges) {
      EXPECT_EQ(edge_partitions[e], p);
      edges.push_back(e);
    }
    EXPECT_EQ(book.Metadata()[p].num_nodes[0], base[p + 1] - base[p]);
    EXPECT_GE(book.Metadata()[p].owners.size(), 1u);
  }
  std::sort(nodes.begin(), nodes.end());
  std::sort(edges.begin(), edges.end());
  EXPECT_EQ(nodes, UpTo(60));
  EXPECT_EQ(edges, UpTo(300));
  EXPECT_EQ(CodeOf(book.NodesOf(book.num_partitions()).status()),
            "OUT_OF_RANGE");
}

TEST_P(DistGraphTest, RanksShareTheMaskedNodesOut) {
  GraphFleet fleet(MadeUp(), Options());
  std::vector<bool> mask(60);
  for (int64_t v = 0; v < 60; ++v) mask[v] = v % 4 != 1;
  for (const int world : {1, 3, 7}) {
    for (const bool even : {true, false}) {
      std::vector<int64_t> all;
      for (int rank = 0; rank < world; ++rank) {
        auto graph = fleet.Open(rank, world);
        const RankShare share =
            NodeSplit(*graph, {.mask = mask}, {.force_even = even}).value();
        EXPECT_EQ(share.total, 45u);
        if (even) {
          EXPECT_GE(share.ids.size(), 45u / world);
          EXPECT_LE(share.ids.size(), 45u / world + 1);
        } else {
          EXPECT_EQ(share.locality, 1.0);
        }
        all.insert(all.end(), share.ids.begin(), share.ids.end());
        const LocalPart part = graph->LocalPartition().value();
        EXPECT_EQ(part.partitions,
                  PartitionsOfRank(GetParam().partitions, rank, world));
      }
      std::sort(all.begin(), all.end());
      std::vector<int64_t> expected;
      for (int64_t v = 0; v < 60; ++v) {
        if (mask[v]) expected.push_back(v);
      }
      EXPECT_EQ(all, expected);  // each once
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Fleets, DistGraphTest,
                         testing::Values(Fleet{1, 0}, Fleet{4, 0}, Fleet{1, 3},
                                         Fleet{2, 2}, Fleet{4, 3}),
                         [](const auto& info) {
                           return std::to_string(info.param.partitions) +
                                  "PartitionsOn" +
                                  std::to_string(info.param.servers) +
                                  "Servers";
                         });

// The same answers on all fleets.
TEST(DistGraphOfCora, IsTheSameOnEveryFleet) {
  const auto input = ReadInput({.folder = "tests/data/cora"});
  ASSERT_TRUE(input.ok()) << input.status();
  std::vector<int64_t> nodes;
  for (int64_t v = 0; v < 2708; v += 13) nodes.push_back(v);
  std::vector<EdgesByType> samples;
  for (const Fleet at : {Fleet{1, 0}, Fleet{2, 1}, Fleet{4, 2}, Fleet{4, 3}}) {
    GraphFleet fleet(input->content,
                     {.partitions = at.partitions, .servers = at.servers});
    auto graph = fleet.Open();
    EXPECT_EQ(*graph->num_edges(), 10556);
    samples.push_back(
        graph->SampleNeighbors({{"", nodes}}, 5, {.key = {3, 1}}).value());
    EXPECT_EQ(samples.back(), samples.front());
    const GraphRows x = (*graph->ndata())->Read("x", nodes).value();
    EXPECT_EQ(x.dim, 1433);
    std::vector<float> expected(nodes.size() * 1433);
    input->content.node_types[0].x->CopyRows(
        nodes, reinterpret_cast<uint8_t*>(expected.data()));
    EXPECT_EQ(x.As<float>(), absl::MakeConstSpan(expected));
    EXPECT_EQ(NodeSplit(*graph, {.split = "train"})->ids.size(), 140u);
  }
}

TEST(DistGraphOfAifb, HasFanoutsByType) {
  const auto input =
      ReadInput({.folder = "tests/data/aifb", .add_reverse = true});
  ASSERT_TRUE(input.ok()) << input.status();
  GraphFleet fleet(input->content, {.partitions = 2, .servers = 2});
  auto graph = fleet.Open();
  const GraphSchema& schema = graph->schema();
  EXPECT_EQ(graph->canonical_etypes().size(), schema.edge_types.size());
  // The two edge types with the most edges of all.
  std::vector<int> types(schema.edge_types.size());
  std::iota(types.begin(), types.end(), 0);
  std::sort(types.begin(), types.end(), [&](int a, int b) {
    return schema.edge_types[a].num_edges > schema.edge_types[b].num_edges;
  });
  for (int t : {types[0], types[1]}) {
    const EdgeTypeSchema& type = schema.edge_types[t];
    SCOPED_TRACE(type.name());
    const auto expected = EdgesOf(input->content.edge_types[t]);
    std::vector<int64_t> nodes = UpTo(
        std::min<int64_t>(schema.node_types[type.dst_type].num_nodes, 200));
    const auto degrees = graph->InDegrees(nodes, type.name()).value();
    const auto edges =
        graph->SampleEtypeNeighbors({{type.dst, nodes}}, {{type.name(), 2}});
    ASSERT_TRUE(edges.ok()) << edges.status();
    ASSERT_EQ(edges->size(), 1u);  // no other type
    const EdgeList& list = edges->at(type.name());
    std::map<int64_t, int64_t> found;
    for (size_t i = 0; i < list.size(); ++i) {
      ++found[list.dst[i]];
      EXPECT_EQ(std::pair(list.src[i], list.dst[i]), expected.at(list.e_id[i]));
    }
    for (size_t i = 0; i < nodes.size(); ++i) {
      EXPECT_EQ(found[nodes[i]], std::min<int64_t>(2, degrees[i]));
    }
    // Out-degrees of a type whose reverse is stored.
    std::map<int64_t, int64_t> out;
    for (const auto& [id, ends] : expected) ++out[ends.first];
    const auto sources =
        UpTo(std::min<int64_t>(schema.node_types[type.src_type].num_nodes, 50));
    const auto out_degrees = graph->OutDegrees(sources, type.name()).value();
    for (size_t i = 0; i < sources.size(); ++i) {
      EXPECT_EQ(out_degrees[i], out[sources[i]]);
    }
  }
  // Homogeneous ids: types one after the other.
  const PartitionBook& book = graph->partition_book();
  const std::string last = graph->ntypes().back();
  const auto homogeneous = book.ToHomogeneousNodes({0, 1}, last).value();
  EXPECT_EQ(homogeneous[1], homogeneous[0] + 1);
  EXPECT_EQ(homogeneous[0], graph->num_nodes_total() - *graph->num_nodes(last));
  const TypedIds typed = book.ToTypedNodes(homogeneous).value();
  EXPECT_EQ(typed.types[1], static_cast<int>(graph->ntypes().size()) - 1);
  EXPECT_THAT(typed.ids, ElementsAre(0, 1));
}

TEST(DistGraphWithout, NamesTheFlagThatItLacks) {
  GraphFleet fleet(MadeUp(),
                   {.partitions = 2, .edge_index = false, .degrees = false});
  auto graph = fleet.Open();
  for (const absl::Status& status :
       {graph->FindEdges({0}).status(),
        graph->partition_book().EdgePartitions({0}).status(),
        (*graph->edata())->Read("feat", {0}).status(),
        EdgeSplit(*graph, {.ids = {0}}).status()}) {
    EXPECT_EQ(CodeOf(status), "FAILED_PRECONDITION");
    EXPECT_THAT(std::string(status.message()), HasSubstr("--edge-index"));
  }
  EXPECT_TRUE(EdgeSplit(*graph, {.ids = {0}}, {.locality = false}).ok());
  const absl::Status degrees = graph->OutDegrees({0}).status();
  EXPECT_EQ(CodeOf(degrees), "FAILED_PRECONDITION");
  EXPECT_THAT(std::string(degrees.message()), HasSubstr("--degrees"));
}

// Edges that --dedupe merged leave their ids free, and ids go beyond the number
// of edges: whatever looks edges up by id must count ids.
TEST(DistGraphOfMergedEdges, IdsAreNotTheirNumber) {
  GraphSpec spec{
      .num_nodes = 6,
      .edges = {{0, 1}, {0, 1}, {2, 3}, {0, 1}, {4, 5}, {2, 3}, {5, 4}},
      .dedupe = true};
  for (int i = 0; i < 7; ++i) {
    spec.edge_attr.push_back(static_cast<float>(i));
  }
  spec.edge_attr_dim = 0;
  spec.edge_splits["train"] = {4, 5, 4, 5, 4, 6, 0, 1, 0};
  for (const uint32_t partitions : {1u, 3u}) {
    GraphFleet fleet(MakeContent(spec), {.partitions = partitions});
    auto graph = fleet.Open();
    EXPECT_EQ(*graph->num_edges(), 4);
    const std::vector<int64_t> there = {6, 0, 4, 2};
    const EdgeEnds ends = graph->FindEdges(there).value();
    EXPECT_THAT(ends.src, ElementsAre(5, 0, 4, 2));
    EXPECT_THAT(ends.dst, ElementsAre(4, 1, 5, 3));
    GraphData& data = **graph->edata();
    EXPECT_EQ(data.num_rows(), 7);
    EXPECT_THAT(data.Read("feat", there)->As<float>(), ElementsAre(6, 0, 4, 2));
    EXPECT_THAT(data.Read("train_mask", there)->As<uint8_t>(),
                ElementsAre(1, 1, 1, 0));
    EXPECT_EQ(CodeOf(graph->FindEdges({5}).status()), "NOT_FOUND");
    EXPECT_EQ(CodeOf(graph->FindEdges({7}).status()), "OUT_OF_RANGE");
    const PartitionBook& book = graph->partition_book();
    std::vector<int64_t> all;
    for (uint32_t p = 0; p < partitions; ++p) {
      const std::vector<int64_t> own = book.EdgesOf(p).value();
      for (const int64_t id : own) {
        all.push_back(id);
        EXPECT_EQ(book.EdgePartitions({id})->at(0), p);
      }
    }
    std::sort(all.begin(), all.end());
    EXPECT_THAT(all, ElementsAre(0, 2, 4, 6));
    EXPECT_THAT(*book.ToHomogeneousEdges({6}, ""), ElementsAre(6));
    EXPECT_THAT(EdgeSplit(*graph, {.split = "train"})->ids,
                ElementsAre(0, 4, 6));
    EXPECT_THAT(EdgeSplit(*graph, {.ids = {6, 2}})->ids, ElementsAre(2, 6));
    std::vector<bool> mask(7, false);
    mask[2] = mask[6] = true;
    EXPECT_THAT(EdgeSplit(*graph, {.mask = mask})->ids, ElementsAre(2, 6));
  }
}

// Node 1's in-edges without two of them: pairs of the other four, uniformly.
TEST(DistGraphWithout, ExcludedEdgesAreNotThere) {
  GraphSpec spec;
  spec.num_nodes = 8;
  for (int64_t i = 0; i < 6; ++i) spec.edges.emplace_back(i + 2, 1);
  spec.edges.emplace_back(1, 0);
  EdgesByType first;
  for (uint32_t partitions : {1u, 3u}) {
    GraphFleet fleet(MakeContent(spec), {.partitions = partitions});
    auto graph = fleet.Open();
    SampleOptions options;
    options.exclude_edges = {{"to", {1, 4}}};
    const auto all = graph->SampleNeighbors({{"", {1, 0}}}, -1, options);
    ASSERT_TRUE(all.ok()) << all.status();
    std::vector<int64_t> ids = all->at("node,to,node").e_id;
    std::sort(ids.begin(), ids.end());
    EXPECT_THAT(ids, ElementsAre(0, 2, 3, 5, 6));
    const auto pair = graph->SampleNeighbors({{"", {1, 0}}}, 2, options);
    ASSERT_TRUE(pair.ok()) << pair.status();
    EXPECT_EQ(pair->at("node,to,node").size(), 3u);
    if (first.empty()) first = *pair;
    EXPECT_EQ(*pair, first);
    options.replace = true;
    EXPECT_EQ(CodeOf(graph->SampleNeighbors({{"", {1}}}, 2, options).status()),
              "INVALID_ARGUMENT");
  }
  GraphFleet fleet(MakeContent(spec), {});
  auto graph = fleet.Open();
  std::map<std::vector<int64_t>, int> counts;
  for (uint64_t i = 0; i < 600; ++i) {
    SampleOptions options;
    options.key = {.random_seed = 11, .index = i};
    options.exclude_edges = {{"", {1, 4}}};
    const auto edges = graph->SampleNeighbors({{"", {1}}}, 2, options);
    ASSERT_TRUE(edges.ok()) << edges.status();
    std::vector<int64_t> pair = edges->at("node,to,node").e_id;
    std::sort(pair.begin(), pair.end());
    ASSERT_EQ(pair.size(), 2u);
    ++counts[pair];
  }
  ASSERT_EQ(counts.size(), 6u);
  double chi_square = 0;
  for (const auto& [pair, count] : counts) {
    chi_square += (count - 100.0) * (count - 100.0) / 100.0;
  }
  EXPECT_LT(chi_square, 20.5);  // 5 degrees of freedom: 0.999
}

TEST(DistGraphWithout, RefusesWhatIsNotThere) {
  GraphFleet fleet(MadeUp(), {});
  auto graph = fleet.Open();
  const absl::Status column = (*graph->ndata())->Read("emb", {0}).status();
  EXPECT_EQ(CodeOf(column), "NOT_FOUND");
  EXPECT_THAT(std::string(column.message()), HasSubstr("train_mask x y"));
  EXPECT_EQ(CodeOf((*graph->ndata())->Read("x", {60}).status()),
            "OUT_OF_RANGE");
  EXPECT_EQ(CodeOf(graph->ndata("paper").status()), "INVALID_ARGUMENT");
  EXPECT_EQ(CodeOf(graph->num_edges("cites").status()), "INVALID_ARGUMENT");
  EXPECT_EQ(CodeOf(graph->SampleNeighbors({{"node", {60}}}, 1).status()),
            "INVALID_ARGUMENT");
  EXPECT_EQ(
      CodeOf(
          graph->SampleNeighbors({{"node", {1}}}, 1, {.prob = "p"}).status()),
      "INVALID_ARGUMENT");
  EXPECT_EQ(CodeOf(NodeSplit(*graph, {}).status()), "INVALID_ARGUMENT");
  EXPECT_EQ(CodeOf(NodeSplit(*graph, {.mask = {true}}).status()),
            "INVALID_ARGUMENT");
  EXPECT_EQ(CodeOf(EdgeSplit(*graph, {.split = "train"}).status()),
            "INVALID_ARGUMENT");  // its last edge is none of the graph's
  // Later calls still work.
  EXPECT_TRUE(graph->SampleNeighbors({{"node", {1}}}, 1).ok());
}

TEST(DistGraphOfFiles, ReadsFeaturesThatAreNotMapped) {
  GraphFleet fleet(
      MadeUp(),
      {.partitions = 2, .servers = 2, .features = FeatureMemory::kPaged});
  auto graph = fleet.Open();
  EXPECT_THAT((*graph->ndata())->Read("x", {59, 4})->As<float>(),
              ElementsAre(59, -59, 4, -4));
  EXPECT_THAT((*graph->edata())->Read("feat", {299, 4})->As<float>(),
              ElementsAre(299, 4));
}

// Both servers have all partitions: the graph goes on without one of them.
TEST(DistGraphFleet, GoesOnWithAnotherOwner) {
  GraphFleet fleet(MadeUp(), {.partitions = 1, .servers = 2});
  auto graph = fleet.Open();
  const auto before = graph->SampleNeighbors({{"", UpTo(60)}}, 2).value();
  fleet.StopServer(0);
  EXPECT_THAT((*graph->ndata())->Read("x", {59, 4})->As<float>(),
              ElementsAre(59, -59, 4, -4));
  EXPECT_EQ(graph->SampleNeighbors({{"", UpTo(60)}}, 2).value(), before);
  EXPECT_THAT(graph->FindEdges({0})->dst, ElementsAre(0));
}

TEST(MakeBlock, PutsDestinationsFirst) {
  GraphFleet fleet(MadeUp(), {});
  auto graph = fleet.Open();
  const EdgesByType edges = {
      {"node,to,node", {{9, 4, 7, 9}, {4, 4, 7, 7}, {100, 101, 102, 103}}}};
  const MadeBlock block = graph->ToBlock(edges, {{"node", {7, 4}}}).value();
  EXPECT_THAT(block.nodes.at("node").src, ElementsAre(7, 4, 9));
  EXPECT_EQ(block.nodes.at("node").num_dst, 2u);
  EXPECT_THAT(block.edges.at("node,to,node").src, ElementsAre(2, 1, 0, 2));
  EXPECT_THAT(block.edges.at("node,to,node").dst, ElementsAre(1, 1, 0, 0));
  EXPECT_EQ(CodeOf(graph->ToBlock(edges, {{"node", {7}}}).status()),
            "INVALID_ARGUMENT");
  EXPECT_EQ(CodeOf(graph->ToBlock(edges, {{"node", {7, 4, 7}}}).status()),
            "INVALID_ARGUMENT");
}

}  // namespace
}  // namespace tributary
