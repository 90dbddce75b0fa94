#include "partition/pipeline/partitioners/partitioner.h"

#include <algorithm>

#include "gtest/gtest.h"
#include "partition/format/testing/graph_builder.h"

namespace tributary {
namespace {

std::vector<uint16_t> Place(const GraphSpec& spec, const char* method,
                            uint32_t num_partitions, uint64_t seed = 0) {
  const auto plan =
      PlanNodes(MakeContent(spec), {method, num_partitions, seed});
  EXPECT_TRUE(plan.ok()) << plan.status();
  return plan.ok() ? plan->partition_of[0] : std::vector<uint16_t>();
}

std::vector<int64_t> Sizes(const std::vector<uint16_t>& partition_of,
                           uint32_t num_partitions) {
  std::vector<int64_t> sizes(num_partitions, 0);
  for (uint16_t p : partition_of) ++sizes.at(p);
  return sizes;
}

TEST(RandomPartitioner, PartsDifferByOneNodeAtMost) {
  for (uint32_t num_partitions : {1u, 2u, 3u, 7u, 100u, 150u}) {
    const auto sizes = Sizes(
        Place({.num_nodes = 100}, "random", num_partitions), num_partitions);
    const auto [least, most] = std::minmax_element(sizes.begin(), sizes.end());
    EXPECT_LE(*most - *least, 1) << num_partitions;
  }
}

TEST(RandomPartitioner, IsThatOfTheDocument) {
  EXPECT_EQ(Place({.num_nodes = 8}, "random", 3, 9),
            (std::vector<uint16_t>{0, 0, 2, 0, 2, 1, 1, 1}));
}

TEST(RandomPartitioner, IsAFunctionOfSeedAndIdAlone) {
  const GraphSpec spec{.num_nodes = 50};
  GraphSpec with_edges = spec;
  with_edges.edges = {{0, 1}, {2, 3}};
  EXPECT_EQ(Place(spec, "random", 4, 9), Place(with_edges, "random", 4, 9));
  EXPECT_NE(Place(spec, "random", 4, 9), Place(spec, "random", 4, 10));
  // Doubling the number of parts halves each part, since the order is the same.
  const auto two = Place(spec, "random", 2, 9);
  const auto four = Place(spec, "random", 4, 9);
  for (size_t i = 0; i < two.size(); ++i) EXPECT_EQ(four[i] / 2, two[i]);
}

// Two cliques of eight, joined by one edge: the best cut is that edge.
TEST(MetisPartitioner, CutsWhereFewEdgesAre) {
  GraphSpec spec{.num_nodes = 16, .edges = {{0, 8}}};
  for (int64_t u = 0; u < 16; ++u) {
    for (int64_t v = 0; v < 16; ++v) {
      if (u / 8 == v / 8) spec.edges.emplace_back(u, v);  // loops too
    }
  }
  const auto placed = Place(spec, "metis", 2);
  ASSERT_EQ(placed.size(), 16);
  for (size_t v = 0; v < 16; ++v) EXPECT_EQ(placed[v], placed[v / 8 * 8]);
  EXPECT_NE(placed[0], placed[8]);
  EXPECT_EQ(placed, Place(spec, "metis", 2));
}

EdgeContent Edges(int src, int dst, EdgeRows rows,
                  const std::vector<NodeContent>& types) {
  EdgeContent edges;
  edges.src = types[src].name;
  edges.rel = "to";
  edges.dst = types[dst].name;
  edges.src_type = src;
  edges.dst_type = dst;
  edges.in_edges = Adjacency::FromRows(std::move(rows), types[src].num_nodes,
                                       types[dst].num_nodes, {})
                       .value();
  return edges;
}

// Types a, b of 8 nodes and c of none; edges from a to b and from b to a.
GraphContent Typed(int64_t num_a, EdgeRows ab, EdgeRows ba) {
  GraphContent content;
  content.heterogeneous = true;
  content.node_types = {{"a", num_a, nullptr, nullptr},
                        {"b", 8, nullptr, nullptr},
                        {"c", 0, nullptr, nullptr}};
  const auto& types = content.node_types;
  content.edge_types.push_back(Edges(0, 1, std::move(ab), types));
  content.edge_types.push_back(Edges(1, 0, std::move(ba), types));
  return content;
}

TEST(RandomPartitioner, PlacesEachTypeByItsName) {
  const GraphContent content = Typed(8, {}, {});
  const auto plan = PlanNodes(content, {"random", 3, 9});
  ASSERT_TRUE(plan.ok()) << plan.status();
  ASSERT_EQ(plan->partition_of.size(), 3);
  EXPECT_NE(plan->partition_of[0], plan->partition_of[1]);
  EXPECT_TRUE(plan->partition_of[2].empty());
  GraphContent renamed = content;
  renamed.node_types[0].name = "node";
  EXPECT_EQ(PlanNodes(renamed, {"random", 3, 9})->partition_of[0],
            (std::vector<uint16_t>{0, 0, 2, 0, 2, 1, 1, 1}));
}

// Nodes 0-5 of a are joined to 0-3 of b and 6-11 to 4-7, each to each, and one
// edge crosses: only on the nodes of both types together is that the best cut.
TEST(MetisPartitioner, CutsTheTypesTogether) {
  EdgeRows ab{{0}, {7}};
  for (int64_t u = 0; u < 12; ++u) {
    for (int64_t v = 0; v < 8; ++v) {
      if (u / 6 != v / 4) continue;
      ab.src.push_back(u);
      ab.dst.push_back(v);
    }
  }
  const EdgeRows ba{ab.dst, ab.src};
  for (const GraphContent& content : {Typed(12, ab, {}), Typed(12, {}, ba)}) {
    const auto plan = PlanNodes(content, {"metis", 2, 0});
    ASSERT_TRUE(plan.ok()) << plan.status();
    const auto& a = plan->partition_of[0];
    const auto& b = plan->partition_of[1];
    ASSERT_EQ(a.size(), 12);
    ASSERT_EQ(b.size(), 8);
    for (size_t u = 0; u < 12; ++u) EXPECT_EQ(a[u], b[u / 6 * 4]) << u;
    for (size_t v = 0; v < 8; ++v) EXPECT_EQ(b[v], a[v / 4 * 6]) << v;
    EXPECT_NE(a[0], a[6]);
  }
}

TEST(MetisPartitioner, TakesDegenerateGraphs) {
  EXPECT_EQ(Place({.num_nodes = 3}, "metis", 1), (std::vector<uint16_t>(3, 0)));
  EXPECT_EQ(Place({.num_nodes = 3}, "metis", 5),
            (std::vector<uint16_t>{0, 1, 2}));
  EXPECT_TRUE(Place({.num_nodes = 0}, "metis", 2).empty());
  const auto no_edges = Place({.num_nodes = 40}, "metis", 3);
  EXPECT_EQ(no_edges.size(), 40);
  const auto loops =
      Place({.num_nodes = 9, .edges = {{1, 1}, {1, 1}}}, "metis", 3);
  EXPECT_EQ(loops.size(), 9);
}

TEST(PlanNodes, RefusesUnknownMethodsAndCounts) {
  const GraphContent content = MakeContent({.num_nodes = 3});
  const auto kway = PlanNodes(content, {"kway", 2, 0});
  EXPECT_EQ(kway.status().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_NE(kway.status().message().find("random, metis, ldg, assignment"),
            std::string::npos);
  for (uint32_t num_partitions : {0u, 65537u}) {
    EXPECT_EQ(PlanNodes(content, {"random", num_partitions, 0}).status().code(),
              absl::StatusCode::kInvalidArgument);
  }
}

}  // namespace
}  // namespace tributary
