#include "partition/format/graph.h"

#include <filesystem>
#include <fstream>
#include <string>

#include "gtest/gtest.h"
#include "partition/format/testing/graph_builder.h"
#include "partition/format/testing/seven_nodes.h"

namespace tributary {
namespace {

// The graph of docs/sampling.md's vectors: edges 10 and 11 into node 3 from 0
// and 1, edges 1, 2 and 0 ... Node 3's in-edges in canonical order are
// (neighbour, edge id): (0,10) (1,11) (4,9); node 0's (1,0) (2,1) (2,4) (3,2)
// (4,3); node 1's (0,5) (3,6); node 2's (5,7); node 5's (5,8).
GraphSpec VectorGraph(uint32_t num_partitions) {
  return {.num_nodes = 7,
          .edges = SevenNodesEdges(),
          .num_partitions = num_partitions,
          .x = {0, 10, 20, 30, 40, 50, 60},
          .y = {0, 1, 2, 3, 4, 5, 6},
          .splits = {{"train", {0, 3, 1, 6}}}};
}

// (neighbour's original id, edge id) of a node's in-edges.
std::vector<std::pair<int64_t, int64_t>> InEdges(const Graph& graph,
                                                 int64_t node) {
  const auto where = graph.node_map(0).Locate(node);
  EXPECT_TRUE(where.ok()) << where.status();
  const EdgePartition& edges = *graph.edges(0, where->partition);
  const NodeTypeSchema& type = graph.schema().node_types[0];
  std::vector<std::pair<int64_t, int64_t>> result;
  for (uint64_t i = edges.indptr[where->row]; i < edges.indptr[where->row + 1];
       ++i) {
    const auto internal = static_cast<int64_t>(edges.indices[i]);
    const uint32_t p = type.PartitionOf(internal);
    result.emplace_back(graph.nodes(0, p)->orig_id[internal - type.base[p]],
                        edges.edge_id[i]);
  }
  return result;
}

TEST(Graph, ACopyIsTheGraph) {
  GraphSpec spec{.num_nodes = 600, .edges = {{0, 1}}};
  spec.x_dim = 1000;
  for (int i = 0; i < 600'000; ++i) spec.x.push_back(static_cast<float>(i));
  const std::string folder =
      (std::filesystem::path(testing::TempDir()) / "copied").string();
  WriteGraphTo(spec, folder);
  const auto open = [&](HugePages huge_pages, uint64_t copy_memory,
                        FeatureMemory features = FeatureMemory::kResident) {
    return Graph::Open(folder, {.features = features,
                                .huge_pages = huge_pages,
                                .copy_memory = copy_memory})
        .value();
  };
  const auto mapped = open(HugePages::kOff, UINT64_MAX);
  EXPECT_EQ(mapped->copied_bytes(), 0u);
  // Only x is large enough: 2.4 million bytes.
  const auto copied = open(HugePages::kAuto, UINT64_MAX);
  EXPECT_EQ(copied->copied_bytes(), size_t{4} << 20);
  EXPECT_EQ(copied->nodes(0, 0)->x, mapped->nodes(0, 0)->x);
  EXPECT_EQ(InEdges(*copied, 1), InEdges(*mapped, 1));
  EXPECT_EQ(open(HugePages::kAuto, 1 << 20)->copied_bytes(), 0u);
  EXPECT_EQ(
      open(HugePages::kAuto, UINT64_MAX, FeatureMemory::kPaged)->copied_bytes(),
      0u);
  std::filesystem::remove_all(folder);
}

// What users give in place of a folder; the error said only that there is no
// graph.json, or that a file is no folder.
TEST(GraphTest, OtherFoldersAreNamed) {
  const auto error = [](const std::string& path) {
    return std::string(Graph::Open(path, {}).status().message());
  };
  const auto has = [&](const std::string& path, const std::string& text) {
    EXPECT_NE(error(path).find(text), std::string::npos) << error(path);
  };
  const TemporaryFolder folder;
  const auto make = [&](const std::string& path) {
    std::filesystem::create_directories(
        std::filesystem::path(folder.File(path)).parent_path());
    std::ofstream(folder.File(path)) << "{}";
    return folder.File(path.substr(0, path.find('/')));
  };
  has(make("dgl/part0/graph.dgl"), "partition/exporters/tributary_export.py");
  has(make("chunks/metadata.json"), "tributary partition --format dgl-chunked");
  has(make("ogb/raw/edge.csv"), "tributary partition --format ogb");
  const std::string graph = make("g/graph.json");
  has(graph + "/graph.json", "allowed: its folder, " + graph);
  EXPECT_EQ(error(make("other/x.txt")).find("; "), std::string::npos);
}

class GraphOfPartitions : public testing::TestWithParam<uint32_t> {};

TEST_P(GraphOfPartitions, InEdgesAreCanonical) {
  const auto graph = BuildGraph(VectorGraph(GetParam()), {.verify = true});
  using Edges = std::vector<std::pair<int64_t, int64_t>>;
  EXPECT_EQ(InEdges(*graph, 0),
            (Edges{{1, 0}, {2, 1}, {2, 4}, {3, 2}, {4, 3}}));
  EXPECT_EQ(InEdges(*graph, 1), (Edges{{0, 5}, {3, 6}}));
  EXPECT_EQ(InEdges(*graph, 2), (Edges{{5, 7}}));
  EXPECT_EQ(InEdges(*graph, 3), (Edges{{0, 10}, {1, 11}, {4, 9}}));
  EXPECT_EQ(InEdges(*graph, 4), Edges{});
  EXPECT_EQ(InEdges(*graph, 5), (Edges{{5, 8}}));
  EXPECT_EQ(InEdges(*graph, 6), Edges{});
}

TEST_P(GraphOfPartitions, RowsFollowTheirNodes) {
  const auto graph = BuildGraph(VectorGraph(GetParam()));
  for (int64_t node = 0; node < 7; ++node) {
    const auto where = graph->node_map(0).Locate(node);
    ASSERT_TRUE(where.ok());
    const NodePartition& part = *graph->nodes(0, where->partition);
    EXPECT_EQ(part.orig_id[where->row], node);
    float x;
    memcpy(&x, part.x.data() + where->row * sizeof(x), sizeof(x));
    EXPECT_EQ(x, 10.0f * node);
    int64_t y;
    memcpy(&y, part.y.data() + where->row * sizeof(y), sizeof(y));
    EXPECT_EQ(y, node);
  }
}

// Every edge is found by its id, with the ends of the list it was made from.
TEST_P(GraphOfPartitions, EdgeIndexLocatesEdges) {
  GraphSpec spec = VectorGraph(GetParam());
  spec.edge_index = true;
  const auto graph = BuildGraph(spec, {.partitions = {0}});
  const EdgeIndex* index = graph->edge_index(0);
  ASSERT_NE(index, nullptr);
  EXPECT_EQ(index->num_ids(), spec.edges.size());
  const auto whole = BuildGraph(spec);
  const NodeTypeSchema& type = graph->schema().node_types[0];
  for (size_t id = 0; id < spec.edges.size(); ++id) {
    const auto at = index->Locate(static_cast<int64_t>(id));
    ASSERT_TRUE(at.ok()) << at.status();
    const EdgePartition& edges = *whole->edges(0, at->partition);
    EXPECT_EQ(edges.edge_id[at->position], id);
    const auto row = whole->node_map(0).Locate(spec.edges[id].second);
    ASSERT_TRUE(row.ok());
    EXPECT_EQ(row->partition, at->partition);
    EXPECT_LE(edges.indptr[row->row], at->position);
    EXPECT_LT(at->position, edges.indptr[row->row + 1]);
    const auto source = whole->node_map(0).Locate(spec.edges[id].first);
    ASSERT_TRUE(source.ok());
    EXPECT_EQ(edges.indices[at->position],
              type.base[source->partition] + source->row);
  }
}

INSTANTIATE_TEST_SUITE_P(Partitions, GraphOfPartitions,
                         testing::Values(1, 2, 3, 7, 12));

// Edges 4 and 7 repeat the ends of 1 and 5; an index of all ids but these.
TEST(Graph, EdgeIndexSaysWhichIdsNoEdgeHas) {
  const auto graph = BuildGraph(
      {.num_nodes = 4,
       .edges =
           {{0, 1}, {2, 1}, {1, 0}, {3, 0}, {2, 1}, {3, 3}, {0, 3}, {3, 3}},
       .dedupe = true,
       .num_partitions = 2,
       .edge_index = true});
  const EdgeIndex& index = *graph->edge_index(0);
  EXPECT_EQ(graph->schema().edge_types[0].num_edges, 6);
  EXPECT_EQ(index.num_ids(), 7);  // edge 7, the last, is one of the dropped
  // Partition 1 has nodes 1 and 3, with edges (0>1) (2>1) and (0>3) (3>3).
  EXPECT_EQ(*index.Locate(0), (EdgeLocation{1, 0}));
  EXPECT_EQ(*index.Locate(1), (EdgeLocation{1, 1}));
  EXPECT_EQ(*index.Locate(6), (EdgeLocation{1, 2}));
  EXPECT_EQ(*index.Locate(5), (EdgeLocation{1, 3}));
  EXPECT_EQ(*index.Locate(2), (EdgeLocation{0, 0}));
  EXPECT_EQ(*index.Locate(3), (EdgeLocation{0, 1}));
  EXPECT_EQ(index.Locate(4).status().code(), absl::StatusCode::kNotFound);
  EXPECT_EQ(index.Locate(7).status().code(), absl::StatusCode::kOutOfRange);
  EXPECT_EQ(index.Locate(-1).status().code(), absl::StatusCode::kOutOfRange);
}

// The index is layout: it changes the layout's digest, not the content's.
TEST(Graph, EdgeIndexIsLayout) {
  GraphSpec spec = VectorGraph(3);
  const auto without = BuildGraph(spec);
  spec.edge_index = true;
  const auto with = BuildGraph(spec);
  EXPECT_EQ(without->edge_index(0), nullptr);
  EXPECT_EQ(with->schema().content_digest, without->schema().content_digest);
  EXPECT_NE(with->schema().layout_digest, without->schema().layout_digest);
  EXPECT_EQ(without->schema_json().find("edge_index"), std::string::npos);
}

TEST(Graph, ContentDigestIsThatOfAnyPartitioning) {
  const auto one = BuildGraph(VectorGraph(1));
  const auto three = BuildGraph(VectorGraph(3));
  EXPECT_EQ(one->schema().content_digest, three->schema().content_digest);
  EXPECT_NE(one->schema().layout_digest, three->schema().layout_digest);
}

// Computed by another program from the record bytes of docs/graph-format.md.
TEST(Graph, ContentDigestIsThatOfTheDocument) {
  EXPECT_EQ(ToHex(BuildGraph(VectorGraph(3))->schema().content_digest),
            "aa2bafb6af513327b6c7bc30328ada1a259fdaf14c4cab44907e95b76fabd3f9");
  GraphSpec bare = VectorGraph(2);
  bare.x.clear();
  bare.y.clear();
  bare.splits.clear();
  EXPECT_EQ(ToHex(BuildGraph(bare)->schema().content_digest),
            "7ca1966e928170286fa794d1b8e9cf5197318341fa8bbd7ebf238374474e0d38");
}

// Two edges of the graph and a pair that is no edge.
TEST(Graph, ContentDigestOfASplitOfEdgesIsThatOfTheDocument) {
  GraphSpec spec = VectorGraph(3);
  spec.x.clear();
  spec.y.clear();
  spec.splits.clear();
  spec.edge_splits = {{"test", {2, 0, 1, 4, 3, 9, 6, 6, -1}}};
  const auto graph = BuildGraph(spec);
  EXPECT_EQ(ToHex(graph->schema().content_digest),
            "e9ac5e0a3d290a6043cb89e4e52b8c17b3a4c8313c10e0cd897fc0ee9f3ffcf1");
  EXPECT_EQ(graph->schema().splits[0].count, 3);
  EXPECT_EQ(*graph->EdgeSplit(0, "test"), spec.edge_splits["test"]);
}

// The document's graph with its weights and times.
GraphSpec WeightedGraph(uint32_t num_partitions) {
  GraphSpec spec = VectorGraph(num_partitions);
  spec.x.clear();
  spec.y.clear();
  spec.splits.clear();
  spec.weight = {1, 2, 0, 3, 4, 0.5, 0.25, 0, 0, 1, 1, 2};
  spec.weight_dtype = DType::kFloat32;
  spec.edge_time = {50, 40, 30, 20, 10, 9, 8, 7, 6, 5, 5, 5};
  spec.node_time = {0, -10, -20, -30, -40, -50, -60};
  return spec;
}

TEST(Graph, ContentDigestOfWeightsAndTimesIsThatOfTheDocument) {
  EXPECT_EQ(ToHex(BuildGraph(WeightedGraph(3))->schema().content_digest),
            "6e368bdd0cf973de82e46d7169f15a5e825a7085f5ab7e5880ddaccb01e7a9e5");
  GraphSpec weights = WeightedGraph(1);
  weights.weight_dtype = DType::kFloat64;
  weights.edge_time.clear();
  weights.node_time.clear();
  EXPECT_EQ(ToHex(BuildGraph(weights)->schema().content_digest),
            "b7846cb09df5fa934a846c9af2a70426e82682ea0aee83c6a3511ea573b69646");
  GraphSpec times = WeightedGraph(2);
  times.weight.clear();
  times.node_time.clear();
  EXPECT_EQ(ToHex(BuildGraph(times)->schema().content_digest),
            "245149ed9f8580cc0862105ce53a8cb841803c0d3dea8493ec0a213bffc16e53");
}

// The document's graph with its masks.
GraphSpec MaskedGraph(uint32_t num_partitions) {
  GraphSpec spec = WeightedGraph(num_partitions);
  spec.weight.clear();
  spec.node_time.clear();
  spec.masks["train"] = {1, 1, 0, 1, 0, 1, 1, 0, 1, 0, 1, 1};
  spec.masks["test"] = {0, 0, 1, 0, 1, 0, 0, 1, 0, 1, 0, 0};
  return spec;
}

TEST(Graph, ContentDigestOfMasksIsThatOfTheDocument) {
  EXPECT_EQ(ToHex(BuildGraph(MaskedGraph(3))->schema().content_digest),
            "3717d7b98bd6a8aa05ebea7b7dba2d89be7fc690cedfb768aa50c05d2c0919da");
  GraphSpec train = MaskedGraph(2);
  train.edge_time.clear();
  train.masks.erase("test");
  EXPECT_EQ(ToHex(BuildGraph(train)->schema().content_digest),
            "7e485c49b8c53a3126191426c4c5b9fd9c1ea8a91736d8d4ccdca009653d5812");
}

// Edges in canonical order: 0 1 4 2 3, 5 6, 7, 10 11 9, 8.
TEST(Graph, MasksAreAByteAnEdgeInCanonicalOrderByName) {
  const auto graph = BuildGraph(MaskedGraph(1), {.verify = true});
  EXPECT_EQ(graph->schema().edge_types[0].masks,
            (std::vector<std::string>{"test", "train"}));
  const EdgePartition& edges = *graph->edges(0, 0);
  ASSERT_EQ(edges.masks.size(), 2);
  EXPECT_EQ(edges.masks[0],
            (std::vector<uint8_t>{0, 0, 1, 1, 0, 0, 0, 1, 0, 0, 1, 0}));
  EXPECT_EQ(edges.masks[1],
            (std::vector<uint8_t>{1, 1, 0, 0, 1, 1, 1, 0, 1, 1, 0, 1}));
  const auto told = GraphSchema::FromJson(graph->schema_json());
  ASSERT_TRUE(told.ok()) << told.status();
  EXPECT_EQ(told->edge_types[0].masks, graph->schema().edge_types[0].masks);
}

// As text, with other words for the names.
TEST(Graph, MasksOfOtherNamesAreRefused) {
  const std::string json = BuildGraph(MaskedGraph(1))->schema_json();
  const std::string masks = R"("masks":["test","train"])";
  const size_t at = json.find(masks);
  ASSERT_NE(at, std::string::npos);
  const std::pair<std::string, std::string> cases[] = {
      {R"([])", "masks is empty where it is there"},
      {R"("train")", "masks is no array"},
      {R"([1])", "masks holds no strings"},
      {R"(["train","test"])", "do not ascend"},
      {R"(["train","train"])", "'train' is named twice"},
      {R"(["a b"])", "'a b' is no name of a mask"}};
  for (const auto& [names, what] : cases) {
    std::string other = json;
    other.replace(at, masks.size(), "\"masks\":" + names);
    const auto schema = GraphSchema::FromJson(other);
    ASSERT_FALSE(schema.ok()) << names;
    EXPECT_NE(schema.status().message().find(what), std::string::npos)
        << schema.status();
  }
}

std::vector<uint64_t> Values(const IdArray& ids) {
  std::vector<uint64_t> values;
  for (size_t i = 0; i < ids.size(); ++i) values.push_back(ids[i]);
  return values;
}

// Rows of nodes 0, 1, 2, 3, 5: 5, 2, 1, 3 and 1 edges.
TEST(Graph, WeightsAndTimesAreSummedAndOrderedByRow) {
  GraphSpec spec = WeightedGraph(1);
  spec.neighbor_ids = true;
  const auto graph = BuildGraph(spec, {.verify = true});
  const EdgePartition& edges = *graph->edges(0, 0);
  using Ids = std::vector<uint64_t>;
  using Times = std::vector<int64_t>;
  EXPECT_EQ(
      edges.weight_sum,
      (Ids{1073741824, 3221225472, 7516192767, 7516192767, 10737418238,
           4294967295, 6442450943, 0, 2147483648, 6442450943, 8589934591, 0}));
  EXPECT_EQ(edges.edge_time.time,
            (Times{10, 20, 30, 40, 50, 8, 9, 7, 5, 5, 5, 6}));
  EXPECT_EQ(Values(edges.edge_time.position),
            (Ids{2, 4, 3, 1, 0, 1, 0, 0, 0, 1, 2, 0}));
  EXPECT_EQ(edges.neighbor_time.time,
            (Times{-40, -30, -20, -20, -10, -30, 0, -50, -40, -10, 0, -50}));
  EXPECT_EQ(Values(edges.neighbor_time.position),
            (Ids{4, 3, 1, 2, 0, 1, 0, 0, 2, 1, 0, 0}));
  EXPECT_EQ(Values(edges.neighbor_id),
            (Ids{1, 2, 2, 3, 4, 0, 3, 5, 0, 1, 4, 5}));
  EXPECT_EQ(edges.weight.size(), 12 * sizeof(float));
  EXPECT_EQ(graph->nodes(0, 0)->time, spec.node_time);
}

TEST(Graph, WhatItTellsOfItselfHasNoFiles) {
  const auto graph = BuildGraph(VectorGraph(2));
  ASSERT_FALSE(graph->schema().files.empty());
  const auto told = GraphSchema::FromJson(graph->schema_json());
  ASSERT_TRUE(told.ok()) << told.status();
  EXPECT_TRUE(told->files.empty());
  EXPECT_EQ(told->content_digest, graph->schema().content_digest);
  EXPECT_EQ(told->layout_digest, graph->schema().layout_digest);
  EXPECT_EQ(told->edge_types[0].num_edges,
            graph->schema().edge_types[0].num_edges);
}

TEST(Graph, WhatAGraphDoesNotHaveIsEmptyAndNotInItsText) {
  const auto graph = BuildGraph(VectorGraph(2));
  const EdgePartition& edges = *graph->edges(0, 1);
  EXPECT_TRUE(edges.weight.empty());
  EXPECT_TRUE(edges.weight_sum.empty());
  EXPECT_TRUE(edges.edge_time.time.empty());
  EXPECT_EQ(edges.edge_time.position.size(), 0);
  EXPECT_TRUE(edges.neighbor_time.time.empty());
  EXPECT_EQ(edges.neighbor_id.size(), 0);
  EXPECT_TRUE(graph->nodes(0, 0)->time.empty());
  for (const char* key : {"weight", "timed", "neighbor", "degrees", "masks"}) {
    EXPECT_EQ(graph->schema_json().find(key), std::string::npos) << key;
  }
}

TEST(Graph, NeighbourIdsAreOfTheLayoutOnly) {
  GraphSpec spec = WeightedGraph(2);
  const auto without = BuildGraph(spec);
  spec.neighbor_ids = true;
  const auto with = BuildGraph(spec);
  EXPECT_EQ(with->schema().content_digest, without->schema().content_digest);
  EXPECT_NE(with->schema().layout_digest, without->schema().layout_digest);
}

// 1>0 2>0 3>0 4>0 2>0 0>1 3>1 5>2 5>5 4>3 0>3 1>3
TEST(Graph, DegreesAreByOriginalIdWhateverIsMapped) {
  GraphSpec spec = VectorGraph(3);
  EXPECT_EQ(BuildGraph(spec)->degrees(0), nullptr);
  spec.degrees = true;
  const auto graph = BuildGraph(spec, {.partitions = {1}, .verify = true});
  ASSERT_NE(graph->degrees(0), nullptr);
  using Ids = std::vector<uint64_t>;
  EXPECT_EQ(Values(graph->degrees(0)->in), (Ids{5, 2, 1, 3, 0, 1, 0}));
  EXPECT_EQ(Values(graph->degrees(0)->out), (Ids{2, 2, 2, 2, 2, 2, 0}));
  EXPECT_FALSE(graph->degrees(0)->in.wide());
  EXPECT_TRUE(graph->schema().edge_types[0].degrees);
  EXPECT_EQ(graph->schema().content_digest,
            BuildGraph(VectorGraph(3))->schema().content_digest);
}

// The schema is equal after conversion to text and back.
TEST(Graph, SchemaOfWeightsAndTimesReadsBack) {
  GraphSpec spec = WeightedGraph(1);
  spec.neighbor_ids = true;
  const GraphSchema schema = BuildGraph(spec)->schema();
  EXPECT_TRUE(schema.node_types[0].timed);
  const EdgeTypeSchema& edges = schema.edge_types[0];
  EXPECT_TRUE(edges.weighted);
  EXPECT_EQ(edges.weight_dtype, DType::kFloat32);
  EXPECT_TRUE(edges.timed);
  EXPECT_TRUE(edges.neighbor_timed);
  EXPECT_TRUE(edges.neighbor_ids);
}

TEST(Graph, MapsOnlyThePartitionsAsked) {
  const auto graph = BuildGraph(VectorGraph(3), {.partitions = {2}});
  EXPECT_EQ(graph->partitions(), std::vector<uint32_t>{2});
  EXPECT_EQ(graph->nodes(0, 1), nullptr);
  EXPECT_EQ(graph->edges(0, 0), nullptr);
  ASSERT_NE(graph->nodes(0, 2), nullptr);
  EXPECT_EQ(graph->nodes(0, 2)->orig_id, (std::vector<int64_t>{2, 5}));
  EXPECT_EQ(graph->node_map(0).Locate(4)->partition, 1);
  EXPECT_EQ(*graph->Split(0, "train"), (std::vector<int64_t>{0, 3, 1, 6}));
}

TEST(Graph, OpeningIsGivenUpWhereverItIs) {
  const TemporaryFolder folder;
  const std::string path = folder.File("g");
  WriteGraphTo(VectorGraph(2), path);
  int times = 0;
  const auto graph = Graph::Open(path, {.verify = true, .cancelled = [&] {
                                          ++times;
                                          return false;
                                        }});
  ASSERT_TRUE(graph.ok()) << graph.status();
  EXPECT_GT(times, 20) << "before each array, and over its bytes";
  for (int n = 0; n < times; ++n) {
    int left = n;
    const auto given_up = Graph::Open(
        path, {.verify = true, .cancelled = [&] { return left-- == 0; }});
    EXPECT_EQ(given_up.status().code(), absl::StatusCode::kCancelled) << n;
  }
}

}  // namespace
}  // namespace tributary
