#include "partition/pipeline/inputs/out_edges.h"

#include <algorithm>
#include <array>
#include <tuple>
#include <utility>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "partition/format/testing/random_graph.h"
#include "partition/pipeline/check/verify.h"
#include "partition/pipeline/testing/ogb_folder.h"
#include "partition/writer/content_digest.h"
#include "partition/writer/writer.h"

namespace tributary {
namespace {

using testing::HasSubstr;

// (source, destination, id, row of the columns), ascending.
using Edges = std::vector<std::array<int64_t, 4>>;

Edges EdgesOf(const EdgeContent& type) {
  Edges edges;
  const auto indptr = type.in_edges.indptr();
  for (size_t v = 0; v + 1 < indptr.size(); ++v) {
    for (uint64_t i = indptr[v]; i < indptr[v + 1]; ++i) {
      const InEdge edge = type.in_edges.edge(i);
      edges.push_back({edge.neighbor, static_cast<int64_t>(v), edge.edge_id,
                       type.AttrRow(i)});
    }
  }
  return edges;
}

absl::StatusOr<GraphContent> WriteAndVerify(const GraphContent& content) {
  const TemporaryFolder folder;
  NodePlan plan{3, "test", {{}}};
  for (int64_t v = 0; v < content.node_types[0].num_nodes; ++v) {
    plan.partition_of[0].push_back(static_cast<uint16_t>(v * v % 3));
  }
  const auto written = WriteGraph(content, plan, folder.File("graph"),
                                  {.made_by = "test", .flush = false});
  if (!written.ok()) return written.status();
  return VerifyGraph(folder.File("graph"));
}

TEST(AddOutEdges, TurnsEveryEdgeRound) {
  for (uint32_t seed = 0; seed < 32; ++seed) {
    SCOPED_TRACE(seed);
    GraphContent content = MakeContent(RandomGraph(seed));
    Edges expected = EdgesOf(content.edge_types[0]);
    for (auto& edge : expected) std::swap(edge[0], edge[1]);
    std::sort(expected.begin(), expected.end(),
              [](const auto& a, const auto& b) {  // canonical order
                return std::tie(a[1], a[0], a[2]) < std::tie(b[1], b[0], b[2]);
              });
    ASSERT_TRUE(AddOutEdges(&content).ok());
    ASSERT_EQ(content.edge_types.size(), 2);
    EXPECT_EQ(content.edge_types[0].name(), "node,rev_to,node");
    EXPECT_TRUE(content.edge_types[0].reverse);
    EXPECT_EQ(EdgesOf(content.edge_types[0]), expected);
    EXPECT_EQ(content.edge_types[0].in_edges.max_edge_id(),
              content.edge_types[1].in_edges.max_edge_id());
    const auto stored = WriteAndVerify(content);
    ASSERT_TRUE(stored.ok()) << stored.status();
    EXPECT_TRUE(CompareContent(*stored, content).ok());
  }
}

TEST(AddOutEdges, TypedGraphsAreRefused) {
  GraphContent content = MakeContent(RandomGraph(1));
  content.heterogeneous = true;
  const absl::Status status = AddOutEdges(&content);
  EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(std::string(status.message()), HasSubstr("--add-reverse"));
  EXPECT_EQ(content.edge_types.size(), 1);
}

// The same number of edges, one of which has another end.
TEST(VerifyGraph, ReversesOfOtherEdgesAreDamage) {
  GraphContent content =
      MakeContent({.num_nodes = 4, .edges = {{0, 1}, {2, 1}, {3, 3}}});
  const GraphContent other =
      MakeContent({.num_nodes = 4, .edges = {{1, 0}, {1, 2}, {2, 3}}});
  ASSERT_TRUE(AddOutEdges(&content).ok());
  content.edge_types[0].in_edges = other.edge_types[0].in_edges;
  const absl::Status status = WriteAndVerify(content).status();
  EXPECT_EQ(status.code(), absl::StatusCode::kDataLoss);
  EXPECT_THAT(std::string(status.message()),
              HasSubstr("edges of node,rev_to,node into node 3 are not those"));
}

// With another number of edges, the schema is refused already.
TEST(VerifyGraph, ReversesOfFewerEdgesAreRefused) {
  GraphContent content =
      MakeContent({.num_nodes = 4, .edges = {{0, 1}, {2, 1}, {3, 3}}});
  const GraphContent other =
      MakeContent({.num_nodes = 4, .edges = {{1, 0}, {1, 2}}});
  ASSERT_TRUE(AddOutEdges(&content).ok());
  content.edge_types[0].in_edges = other.edge_types[0].in_edges;
  EXPECT_THAT(std::string(WriteAndVerify(content).status().message()),
              HasSubstr("is the reverse of none with as many edges"));
}

// Also where the edges have reverses and parallel ones were dropped.
TEST_F(OgbTest, OutEdgesOfASourceAreThoseOfItsContent) {
  Write("raw/num-edge-list.csv", "5\n");
  Write("raw/edge.csv", "0,1\n2,1\n3,3\n1,2\n0,1\n");
  Write("raw/edge-feat.csv", "1\n2\n3\n4\n5\n");
  for (const bool dedupe : {false, true}) {
    for (const bool add_reverse : {false, true}) {
      InputOptions options{.folder = folder_.path(),
                           .add_reverse = add_reverse,
                           .dedupe = dedupe};
      auto expected = ReadInput(options);
      ASSERT_TRUE(expected.ok()) << expected.status();
      ASSERT_TRUE(AddOutEdges(&expected->content).ok());
      options.out_edges = true;
      const auto input = ReadInput(options);
      ASSERT_TRUE(input.ok()) << input.status();
      EXPECT_EQ(ComputeContentDigest(input->content),
                ComputeContentDigest(expected->content));
    }
  }
}

}  // namespace
}  // namespace tributary
