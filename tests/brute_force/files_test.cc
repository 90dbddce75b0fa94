// The same with files: random graphs are written by partition/writer and mapped
// again, some partitions by one server and the others by a peer.
#include <gtest/gtest.h>

#include <random>

#include "partition/format/testing/graph_builder.h"
#include "partition/format/testing/scaled_rows.h"
#include "partition/writer/writer.h"
#include "tests/brute_force/random_case.h"

namespace tributary {
namespace {

std::shared_ptr<const RowSource> TimeRows(const std::vector<int64_t>& times) {
  if (times.empty()) return nullptr;
  return std::make_shared<StoredRows<int64_t>>(ColumnSchema{DType::kInt64, 0},
                                               times);
}

std::shared_ptr<const RowSource> FeatureRows(std::vector<float> values,
                                             int64_t dim, bool scaled) {
  if (!scaled) {
    return std::make_shared<StoredRows<float>>(
        ColumnSchema{DType::kFloat32, dim}, std::move(values));
  }
  return std::make_shared<StoredRows<uint8_t>>(
      ColumnSchema{DType::kInt8, dim, scaled},
      ScaledRowsOf(values, static_cast<size_t>(dim)));
}

// The values that MemoryGraph generates; see MemoryGraphSpec.
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
    nodes.x = FeatureRows(std::move(x), type.x_dim, type.scaled);
  }
  if (type.has_y) {
    nodes.y = std::make_shared<StoredRows<int64_t>>(
        ColumnSchema{DType::kInt64, 0}, std::move(y));
  }
  nodes.time = TimeRows(type.time);
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
    edges.edge_attr = FeatureRows(std::move(attr), 1, type.scaled);
  }
  if (!type.weight.empty()) {
    edges.weight = std::make_shared<StoredRows<double>>(
        ColumnSchema{DType::kFloat64, 0}, type.weight);
  }
  edges.time = TimeRows(type.time);
  for (const auto& [name, mask] : type.masks) {
    edges.masks[name] = std::make_shared<StoredRows<uint8_t>>(
        ColumnSchema{DType::kBool, 0}, mask);
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
  return WriteGraph(content, plan, folder,
                    {.made_by = "test",
                     .flush = false,
                     .neighbor_ids = spec.neighbor_ids,
                     .degrees = true})
      .status();
}

std::vector<uint64_t> Values(const IdArray& ids) {
  std::vector<uint64_t> values;
  for (size_t i = 0; i < ids.size(); ++i) values.push_back(ids[i]);
  return values;
}

void ExpectSameOrder(const TimeOrder& file, const TimeOrder& memory) {
  EXPECT_EQ(file.time, memory.time);
  EXPECT_EQ(Values(file.position), Values(memory.position));
}

void ExpectSameArrays(const Graph& file, const Graph& memory) {
  const GraphSchema& schema = memory.schema();
  for (uint32_t p = 0; p < schema.num_partitions; ++p) {
    for (int t = 0; t < static_cast<int>(schema.node_types.size()); ++t) {
      EXPECT_EQ(file.nodes(t, p)->orig_id, memory.nodes(t, p)->orig_id);
      EXPECT_EQ(file.nodes(t, p)->time, memory.nodes(t, p)->time);
    }
    for (int t = 0; t < static_cast<int>(schema.edge_types.size()); ++t) {
      const EdgePartition &a = *file.edges(t, p), &b = *memory.edges(t, p);
      EXPECT_EQ(Values(a.indices), Values(b.indices));
      EXPECT_EQ(a.weight, b.weight);
      EXPECT_EQ(a.weight_sum, b.weight_sum);
      EXPECT_EQ(a.masks, b.masks);
      ExpectSameOrder(a.edge_time, b.edge_time);
      ExpectSameOrder(a.neighbor_time, b.neighbor_time);
      EXPECT_EQ(Values(a.neighbor_id), Values(b.neighbor_id));
    }
  }
}

// Each type with and without weights, masks and times. Values are few, so that
// they tie.
void AddColumns(uint64_t seed, MemoryGraphSpec& spec) {
  std::mt19937_64 random(seed);
  const auto times = [&](size_t count) {
    std::vector<int64_t> values;
    if (random() % 2 == 0) return values;
    while (values.size() < count) {
      values.push_back(static_cast<int64_t>(random() % 5) - 2);
    }
    return values;
  };
  for (auto& type : spec.node_types) {
    type.time = times(static_cast<size_t>(type.num_nodes));
  }
  for (auto& type : spec.edge_types) {
    type.time = times(type.edges.size());
    type.weight.clear();
    if (random() % 2 == 0) continue;
    while (type.weight.size() < type.edges.size()) {
      type.weight.push_back(static_cast<double>(random() % 4) / 3);
    }
  }
  spec.neighbor_ids = random() % 2 == 0;
  for (auto& type : spec.edge_types) {
    type.masks.clear();
    for (const char* name : {"a", "b"}) {
      if (random() % 2 == 0) continue;
      auto& mask = type.masks[name];
      while (mask.size() < type.edges.size()) mask.push_back(random() % 2);
    }
  }
}

TEST(BruteForce, FilesHoldTheArraysThatMemoryHas) {
  for (uint64_t seed = 31'000; seed < 31'100; ++seed) {
    RandomCase c = MakeRandomCase(seed);
    AddColumns(seed, c.graph);
    const TemporaryFolder folder;
    const absl::Status written = Write(c.graph, folder.File("graph"));
    ASSERT_TRUE(written.ok()) << written << "\n" << Describe(c);
    const auto file = Graph::Open(folder.File("graph"));
    ASSERT_TRUE(file.ok()) << file.status() << "\n" << Describe(c);
    SCOPED_TRACE(Describe(c));
    ExpectSameArrays(**file, *MemoryGraph::Make(c.graph));
  }
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
