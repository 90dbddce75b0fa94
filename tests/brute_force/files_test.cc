// The same through files: random graphs written by partition/format and mapped
// again, some partitions by one server and the others by a peer.
#include <gtest/gtest.h>

#include "partition/format/testing/graph_builder.h"
#include "partition/format/writer.h"
#include "tests/brute_force/random_case.h"

namespace tributary {
namespace {

// MemoryGraph's values: docs of MemoryGraphSpec.
NodeContent ContentOf(const MemoryGraphSpec::NodeType& type) {
  NodeContent nodes{type.name, type.num_nodes, nullptr, nullptr};
  std::vector<float> x;
  std::vector<int64_t> y;
  for (int64_t v = 0; v < type.num_nodes; ++v) {
    for (int64_t j = 0; j < type.x_dim; ++j) {
      x.push_back(static_cast<float>(v) + static_cast<float>(j) / 8);
    }
    y.push_back(3 * v);
  }
  if (type.x_dim > 0) {
    nodes.x = std::make_shared<StoredRows<float>>(
        ColumnSchema{DType::kFloat32, type.x_dim}, std::move(x));
  }
  if (type.has_y) {
    nodes.y = std::make_shared<StoredRows<int64_t>>(
        ColumnSchema{DType::kInt64, 0}, std::move(y));
  }
  return nodes;
}

absl::StatusOr<EdgeContent> ContentOf(const MemoryGraphSpec::EdgeType& type,
                                      const GraphContent& graph) {
  EdgeContent edges;
  edges.src = type.src;
  edges.rel = type.rel;
  edges.dst = type.dst;
  for (size_t t = 0; t < graph.node_types.size(); ++t) {
    if (graph.node_types[t].name == type.src) edges.src_type = t;
    if (graph.node_types[t].name == type.dst) edges.dst_type = t;
  }
  EdgeRows rows;
  std::vector<float> attr;
  for (const auto& [u, v] : type.edges) {
    attr.push_back(2.0f * static_cast<float>(rows.src.size()));
    rows.src.push_back(u);
    rows.dst.push_back(v);
  }
  auto in_edges = Adjacency::FromRows(
      std::move(rows), graph.node_types[edges.src_type].num_nodes,
      graph.node_types[edges.dst_type].num_nodes, {});
  if (!in_edges.ok()) return in_edges.status();
  edges.in_edges = *std::move(in_edges);
  if (type.has_attr) {
    edges.edge_attr = std::make_shared<StoredRows<float>>(
        ColumnSchema{DType::kFloat32, 1}, std::move(attr));
  }
  return edges;
}

absl::Status Write(const MemoryGraphSpec& spec, const std::string& folder) {
  GraphContent content;
  content.name = "memory";
  content.heterogeneous = spec.heterogeneous;
  NodePlan plan{spec.num_partitions, "test", {}};
  for (const auto& type : spec.node_types) {
    content.node_types.push_back(ContentOf(type));
    plan.partition_of.push_back(type.partition_of);
  }
  for (const auto& type : spec.edge_types) {
    auto edges = ContentOf(type, content);
    if (!edges.ok()) return edges.status();
    content.edge_types.push_back(*std::move(edges));
  }
  return WriteGraph(content, plan, folder, {.made_by = "test", .flush = false})
      .status();
}

TEST(BruteForce, ThroughFiles) {
  for (uint64_t seed = 30'000; seed < 30'100; ++seed) {
    const RandomCase c = MakeRandomCase(seed);
    const std::string want = DefinedDigest(c);
    const TemporaryFolder folder;
    const absl::Status written = Write(c.graph, folder.File("graph"));
    ASSERT_TRUE(written.ok()) << written << "\n" << Describe(c);
    const auto all = Graph::Open(folder.File("graph"), {.verify = true});
    ASSERT_TRUE(all.ok()) << all.status() << "\n" << Describe(c);
    EXPECT_EQ(DigestOf(*OneBatchWorld(*all).Run(c.batch)), want) << Describe(c);
    if (c.here.empty()) continue;  // such a server does not open
    const auto some = Graph::Open(
        folder.File("graph"),
        {.partitions = std::vector<uint32_t>(c.here.begin(), c.here.end())});
    ASSERT_TRUE(some.ok()) << some.status();
    OneBatchWorld world(*some, *all);
    world.remote()->edges_per_reply = c.edges_per_reply;
    EXPECT_EQ(DigestOf(*world.Run(c.batch)), want) << Describe(c);
  }
}

}  // namespace
}  // namespace tributary
