#include "partition/format/graph.h"

#include "gtest/gtest.h"
#include "partition/format/testing/graph_builder.h"

namespace tributary {
namespace {

// The graph of docs/sampling.md's vectors: edges 10 and 11 into node 3 from 0
// and 1, edges 1, 2 and 0 ... Node 3's in-edges in canonical order are
// (neighbour, edge id): (0,10) (1,11) (4,9); node 0's (1,0) (2,1) (2,4) (3,2)
// (4,3); node 1's (0,5) (3,6); node 2's (5,7); node 5's (5,8).
GraphSpec VectorGraph(uint32_t num_partitions) {
  return {.num_nodes = 7,
          .edges = {{1, 0},
                    {2, 0},
                    {3, 0},
                    {4, 0},
                    {2, 0},
                    {0, 1},
                    {3, 1},
                    {5, 2},
                    {5, 5},
                    {4, 3},
                    {0, 3},
                    {1, 3}},
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

INSTANTIATE_TEST_SUITE_P(Partitions, GraphOfPartitions,
                         testing::Values(1, 2, 3, 7, 12));

TEST(Graph, ContentDigestIsThatOfAnyPartitioning) {
  const auto one = BuildGraph(VectorGraph(1));
  const auto three = BuildGraph(VectorGraph(3));
  EXPECT_EQ(one->schema().content_digest, three->schema().content_digest);
  EXPECT_NE(one->schema().layout_digest, three->schema().layout_digest);
}

// By the record bytes of docs/graph-format.md, summed up by another program.
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

}  // namespace
}  // namespace tributary
