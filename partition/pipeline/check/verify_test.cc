#include "partition/pipeline/check/verify.h"

#include <filesystem>
#include <fstream>

#include "common/hash/crc32c.h"
#include "common/io/file_mapping.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "partition/format/graph.h"
#include "partition/format/testing/random_graph.h"
#include "partition/pipeline/check/inspect.h"
#include "partition/writer/content_digest.h"

namespace tributary {
namespace {

using testing::AllOf;
using testing::HasSubstr;

TEST(Verify, ReadsBackWhatWasWritten) {
  for (uint32_t seed = 0; seed < 32; ++seed) {
    SCOPED_TRACE(seed);
    const TemporaryFolder folder;
    const GraphSpec spec = RandomGraph(seed);
    WriteGraphTo(spec, folder.File("graph"));
    const auto content = VerifyGraph(folder.File("graph"));
    ASSERT_TRUE(content.ok()) << content.status();
    const GraphContent input = MakeContent(spec);
    EXPECT_TRUE(CompareContent(*content, input).ok())
        << CompareContent(*content, input);
    EXPECT_EQ(ComputeContentDigest(*content), ComputeContentDigest(input));
  }
}

const GraphSpec kSpec{
    .num_nodes = 4,
    .edges = {{0, 1}, {2, 1}, {3, 3}, {1, 0}},
    .num_partitions = 2,
    .x = {1, 2, 3, 4},
    .y = {0, 1, 0, 1},
    .edge_attr = {1, 2, 3, 4},
    .node_time = {5, 6, 7, 8},
    .weight = {1, 2, 0, 4},
    .edge_time = {20, 10, 30, 40},
    .masks = {{"test", {0, 0, 0, 1}}, {"train", {1, 0, 1, 1}}},
    .neighbor_ids = true,
    .degrees = true,
    .edge_index = true,
    .splits = {{"a/train", {0, 1}}},
    .edge_splits = {{"b/test", {0, 1, 0, 2, 2, -1}}}};

TEST(Compare, NamesTheFirstDifference) {
  const std::pair<void (*)(GraphSpec&), std::string> cases[] = {
      {[](GraphSpec& s) { s.x[2] = 9; }, "x of node of node 2"},
      {[](GraphSpec& s) { s.scaled = true; },
       "x of node: float32 of width 1 in the graph, scaled int8 of width 1"},
      {[](GraphSpec& s) { s.y[1] = 9; }, "y of node of node 1"},
      {[](GraphSpec& s) { s.y.clear(); },
       "int64 of width 0 in the graph, none"},
      {[](GraphSpec& s) { s.edge_attr[1] = 9; },
       "edge_attr of edge 1 from 2 to 1"},
      {[](GraphSpec& s) { s.node_time[3] = 9; }, "time of node of node 3"},
      {[](GraphSpec& s) { s.node_time.clear(); }, "time of node: int64"},
      {[](GraphSpec& s) { s.weight[1] = 2.5; }, "weight of edge 1 from 2 to 1"},
      {[](GraphSpec& s) { s.weight_dtype = DType::kFloat32; },
       "weight of node,to,node: float64 of width 0 in the graph, float32"},
      {[](GraphSpec& s) { s.edge_time[3] = 41; }, "time of edge 3 from 1 to 0"},
      {[](GraphSpec& s) { s.edge_time.clear(); },
       "time of node,to,node: int64 of width 0 in the graph, none"},
      {[](GraphSpec& s) { s.masks["train"][1] = 1; },
       "mask train of edge 1 from 2 to 1"},
      {[](GraphSpec& s) { s.masks.erase("test"); },
       "mask test of node,to,node: bool of width 0 in the graph, none"},
      {[](GraphSpec& s) {
         s.masks["valid"] = {0, 0, 0, 0};
       },
       "mask valid of node,to,node: none in the graph, bool"},
      {[](GraphSpec& s) {
         s.edges[1] = {3, 1};
       },
       "edge 1 from 2 to 1 in the graph, edge 1 from 3 to 1 in the input"},
      {[](GraphSpec& s) {
         s.edges[3] = {1, 2};
       },
       "edges into node 0: 1 in the graph, 0 in the input"},
      {[](GraphSpec& s) {
         s.splits["a/train"] = {1, 0};
       },
       "split a/train"},
      {[](GraphSpec& s) { s.splits.clear(); }, "splits: 2 in the graph, 1"},
      {[](GraphSpec& s) { s.edge_splits["b/test"] = {0, 1, 0, 2, 1, -1}; },
       "split b/test"},
  };
  for (const auto& [change, what] : cases) {
    GraphSpec spec = kSpec;
    change(spec);
    const absl::Status status =
        CompareContent(MakeContent(kSpec), MakeContent(spec));
    EXPECT_EQ(status.code(), absl::StatusCode::kFailedPrecondition);
    EXPECT_THAT(std::string(status.message()), HasSubstr(what));
  }
}

// Damage with correct checksums, found only by checks of structure and content.
class ForgedGraph : public testing::Test {
 protected:
  void SetUp() override { WriteGraphTo(kSpec, graph_); }

  // Overwrites bytes of an array and corrects graph.json.
  template <typename T>
  void Forge(const std::string& path, size_t element, T value) {
    auto text = ReadFile(graph_ + "/" + path, 1 << 20);
    ASSERT_TRUE(text.ok()) << text.status();
    const size_t data = text->find('\n') + 1;
    memcpy(text->data() + data + element * sizeof(T), &value, sizeof(T));
    std::ofstream(graph_ + "/" + path, std::ios::binary) << *text;
    GraphSchema schema = *GraphSchema::FromJson(Json());
    for (FileSchema& file : schema.files) {
      if (file.path != path) continue;
      file.crc32c = Crc32c(
          {reinterpret_cast<const uint8_t*>(text->data()), text->size()});
    }
    schema.layout_digest = schema.ComputeLayoutDigest();
    std::ofstream(graph_ + "/graph.json") << schema.ToJson();
  }
  std::string Json() const {
    return *ReadFile(graph_ + "/graph.json", 1 << 20);
  }
  void ExpectRefused(const std::string& what) {
    const absl::Status status = VerifyGraph(graph_).status();
    EXPECT_EQ(status.code(), absl::StatusCode::kDataLoss) << status;
    EXPECT_THAT(std::string(status.message()), HasSubstr(what));
  }

  TemporaryFolder folder_;
  const std::string graph_ = folder_.File("graph");
};

// Partition 0 holds nodes 0 and 2 (internal 0, 1), partition 1 nodes 1 and 3
// (2, 3). Node 1's in-edges are row 0 of partition 1: from 0 and 2.
constexpr char kPart1[] = "part-1/edges/node__to__node/";

TEST_F(ForgedGraph, NeighbourOutOfRange) {
  Forge<uint32_t>(std::string(kPart1) + "indices.npy", 0, 4);
  ExpectRefused("partition 1, row 0: neighbour 4 of 4");
}

TEST_F(ForgedGraph, EdgesOutOfOrder) {
  Forge<uint32_t>(std::string(kPart1) + "indices.npy", 0, 3);
  ExpectRefused("partition 1, row 0: edge 1 from node 2 is out of canonical");
}

TEST_F(ForgedGraph, EdgeIdTwice) {
  Forge<uint32_t>(std::string(kPart1) + "edge_id.npy", 0, 3);
  ExpectRefused("edge id 3 twice");
}

TEST_F(ForgedGraph, OriginalIdsThatDisagree) {
  Forge<int64_t>("part-0/nodes/node/orig_id.npy", 1, 3);
  ExpectRefused("partition 0, row 1: node_map has node 3 in partition 1");
}

TEST_F(ForgedGraph, OriginalIdsThatDoNotAscend) {
  Forge<int64_t>("part-0/nodes/node/orig_id.npy", 1, 0);
  ExpectRefused("partition 0, row 1: orig_id does not ascend");
}

TEST_F(ForgedGraph, RanksThatDisagree) {
  Forge<uint64_t>("node_map/node.ranks.npy", 0, 1);
  ExpectRefused("node_map has node 0 in partition 0, row 1");
}

TEST_F(ForgedGraph, SplitOfNoNode) {
  Forge<int64_t>("splits/a/node/train.npy", 0, 4);
  ExpectRefused("4 is no node");
}

TEST_F(ForgedGraph, SplitOfNoEdge) {
  Forge<int64_t>("splits/b/node__to__node/test.npy", 3, 4);
  ExpectRefused("4 is no node");
}

TEST_F(ForgedGraph, RowsThatAreNotTheContents) {
  Forge<float>("part-0/nodes/node/x.npy", 0, 7);
  ExpectRefused("the content's digest is");
}

// Node 1's edges: 0, of weight 1 and time 20 from a node of time 5, and 1, of
// weight 2 and time 10 from one of time 7.
TEST_F(ForgedGraph, SumsThatAreNotOfTheWeights) {
  Forge<uint64_t>(std::string(kPart1) + "weight_sum.npy", 1, 6442450944);
  ExpectRefused(
      "partition 1, row 0: weight_sum of position 1 is 6442450944; the weights "
      "say 6442450943");
}

TEST_F(ForgedGraph, WeightsThatAreNotOfTheSums) {
  Forge<double>(std::string(kPart1) + "weight.npy", 0, 1.5);
  ExpectRefused("partition 1, row 0: weight_sum of position 0");
}

TEST_F(ForgedGraph, WeightThatIsNone) {
  Forge<double>(std::string(kPart1) + "weight.npy", 0, -1);
  ExpectRefused("partition 1, row 0: weight -1 of edge 0");
}

TEST_F(ForgedGraph, WeightsOfTheSameSums) {
  Forge<double>(std::string(kPart1) + "weight.npy", 2, 3);  // the loop: any
  ExpectRefused("weight_sum of position 0 is 0");
  Forge<uint64_t>(std::string(kPart1) + "weight_sum.npy", 2, 4294967295);
  ExpectRefused("the content's digest is");
}

TEST_F(ForgedGraph, TimesOutOfOrder) {
  Forge<int64_t>(std::string(kPart1) + "edge_time.npy", 1, 9);
  ExpectRefused("partition 1, row 0: edge_time 9 of rank 1 is out of order");
}

TEST_F(ForgedGraph, TimesThatTieOutOfOrder) {
  Forge<int64_t>(std::string(kPart1) + "edge_time.npy", 1, 10);
  ExpectRefused("partition 1, row 0: edge_time 10 of rank 1 is out of order");
}

TEST_F(ForgedGraph, TimeThatIsNotTheContents) {
  Forge<int64_t>(std::string(kPart1) + "edge_time.npy", 1, 21);
  ExpectRefused("the content's digest is");
}

TEST_F(ForgedGraph, PositionTwice) {
  Forge<uint32_t>(std::string(kPart1) + "edge_time_position.npy", 1, 1);
  ExpectRefused("edge_time_position 1 of rank 1 among 2");
}

TEST_F(ForgedGraph, PositionOutOfItsRow) {
  Forge<uint32_t>(std::string(kPart1) + "neighbor_time_position.npy", 0, 2);
  ExpectRefused("neighbor_time_position 2 of rank 0 among 2");
}

TEST_F(ForgedGraph, NeighbourTimeThatIsNotTheNodes) {
  Forge<int64_t>(std::string(kPart1) + "neighbor_time.npy", 0, 4);
  ExpectRefused("row 0: neighbor_time of position 0 is 4; the node's is 5");
}

TEST_F(ForgedGraph, NodeTimeThatIsNotTheNeighbours) {
  Forge<int64_t>("part-0/nodes/node/time.npy", 1, 8);
  ExpectRefused("neighbor_time of position 1 is 7; the node's is 8");
}

TEST_F(ForgedGraph, NeighbourIdThatIsNotTheNodes) {
  Forge<uint32_t>(std::string(kPart1) + "neighbor_id.npy", 1, 3);
  ExpectRefused("row 0: neighbor_id of position 1 is 3; the node's is 2");
}

TEST_F(ForgedGraph, MaskThatIsNeitherTrueNorFalse) {
  Forge<uint8_t>(std::string(kPart1) + "mask.train.npy", 1, 2);
  ExpectRefused("row 0: mask train of position 1 is 2; allowed: 0, 1");
}

TEST_F(ForgedGraph, MaskThatIsNotTheContents) {
  Forge<uint8_t>(std::string(kPart1) + "mask.train.npy", 1, 1);
  ExpectRefused("the content's digest is");
}

TEST_F(ForgedGraph, DegreeThatIsNotTheNodes) {
  Forge<uint32_t>("degrees/node__to__node.in.npy", 1, 3);
  ExpectRefused("the in-degree of node 1 is 3; it has 2 edges");
}

TEST_F(ForgedGraph, OutDegreeThatIsNotTheNodes) {
  Forge<uint32_t>("degrees/node__to__node.out.npy", 3, 0);
  ExpectRefused("the out-degree of node 3 is 0; it has");
}

TEST_F(ForgedGraph, EdgeThatIsNotWhereItsIdSays) {
  Forge<uint32_t>("edge_index/node__to__node.position.npy", 2, 0);
  ExpectRefused("edge_index does not have edge 2 at position");
}

TEST_F(ForgedGraph, EdgeOfAPartitionThatDoesNotExist) {
  Forge<uint8_t>("edge_index/node__to__node.partition.npy", 1, 9);
  ExpectRefused("edge_index does not have edge 1 at position");
}

TEST(Inspect, TellsWeightsAndTimes) {
  const auto graph = BuildGraph(kSpec);
  const auto figures = InspectGraph(*graph);
  ASSERT_TRUE(figures.ok()) << figures.status();
  EXPECT_EQ(figures->edge_types[0].massless_rows, 1);  // node 3's loop
  EXPECT_EQ(figures->edge_types[0].time, (TimeRange{10, 40}));
  EXPECT_EQ(figures->node_types[0].time, (TimeRange{5, 8}));
  const std::string text = FiguresText(graph->schema(), *figures);
  EXPECT_THAT(text, HasSubstr("y int64, time 5 to 8, fullest"));
  EXPECT_THAT(text, HasSubstr(", weight float64 (1 nodes without mass), time "
                              "10 to 40, mask test (1 edges), mask train (3 "
                              "edges), neighbours' ids, degrees, "
                              "edge index, cut"));
  const std::string json = FiguresJson(graph->schema(), *figures);
  EXPECT_THAT(
      json,
      HasSubstr("\"weight\":\"float64\",\"massless_rows\":1,"
                "\"time\":[10,40],\"masks\":{\"test\":1,\"train\":3},"
                "\"neighbor_ids\":true,\"degrees\":true,\"edge_index\":true"));
}

TEST(Inspect, CountsDegreesAndCut) {
  const auto graph = BuildGraph(kSpec);
  const auto figures = InspectGraph(*graph);
  ASSERT_TRUE(figures.ok()) << figures.status();
  const EdgeTypeFigures& edges = figures->edge_types[0];
  // Degrees of nodes 0 to 3: 1, 2, 0, 1.
  EXPECT_EQ(edges.degree_histogram, (std::vector<uint64_t>{1, 2, 1}));
  EXPECT_EQ(edges.max_degree, 2);
  EXPECT_EQ(edges.cut_edges, 3);         // all but the loop
  EXPECT_DOUBLE_EQ(edges.balance, 1.5);  // 3 of 4 edges end in partition 1
  EXPECT_DOUBLE_EQ(figures->node_types[0].balance, 1);
  EXPECT_THAT(FiguresJson(graph->schema(), *figures),
              HasSubstr("\"degree_histogram\":[1,2,1]"));
  EXPECT_THAT(FiguresText(graph->schema(), *figures), HasSubstr("cut 75.00 %"));
}

// Partition 0 has nodes 0 and 2 and edge 3, into node 0; partition 1 nodes 1
// and 3 and the other edges, of which the loop is not cut.
TEST(Inspect, TellsWhatEachPartitionHolds) {
  const auto graph = BuildGraph(kSpec);
  const auto figures = InspectGraph(*graph);
  ASSERT_TRUE(figures.ok()) << figures.status();
  ASSERT_EQ(figures->partitions.size(), 2);
  EXPECT_EQ(figures->partitions[0].nodes, 2);
  EXPECT_EQ(figures->partitions[0].edges, 1);
  EXPECT_EQ(figures->partitions[0].cut_edges, 1);
  EXPECT_EQ(figures->partitions[1].edges, 3);
  EXPECT_EQ(figures->partitions[1].cut_edges, 2);
  uint64_t bytes[2] = {0, 0};
  for (const FileSchema& file : graph->schema().files) {
    for (int p = 0; p < 2; ++p) {
      const std::string folder = "part-" + std::to_string(p) + "/";
      if (file.path.compare(0, folder.size(), folder) == 0) {
        bytes[p] += file.bytes;
      }
    }
  }
  EXPECT_EQ(figures->partitions[0].bytes, bytes[0]);
  EXPECT_EQ(figures->partitions[1].bytes, bytes[1]);
  // The split a/train has nodes 0 and 1, b/test edges into 1 and 2.
  ASSERT_EQ(figures->splits.size(), 2);
  for (const SplitFigures& split : figures->splits) {
    EXPECT_EQ(split.partition_counts, (std::vector<int64_t>{1, 1}));
    EXPECT_DOUBLE_EQ(split.balance, 1);
  }
  const std::string text = FiguresText(graph->schema(), *figures);
  EXPECT_THAT(text, HasSubstr("  partition 1: 2 nodes, 3 edges, cut 66.67 %, " +
                              std::to_string(bytes[1]) +
                              " bytes, a/train of node 1, b/test of "
                              "node,to,node 1\n"));
  EXPECT_THAT(text, HasSubstr("  in all: cut 75.00 % of 4 edges, fullest "
                              "partition 1.000 x mean of nodes, 1.500 of "
                              "edges, "));
  EXPECT_THAT(FiguresJson(graph->schema(), *figures),
              AllOf(HasSubstr("{\"name\":\"a/train\",\"node_type\":\"node\","
                              "\"count\":2,\"partition_counts\":[1,1],"
                              "\"balance\":1.0}"),
                    HasSubstr("\"partitions\":[{\"nodes\":2,\"edges\":1,"
                              "\"cut_edges\":1,\"bytes\":"),
                    HasSubstr("\"totals\":{\"num_edges\":4,\"cut_edges\":3,"
                              "\"node_balance\":1.0,\"edge_balance\":1.5,")));
}

}  // namespace
}  // namespace tributary
