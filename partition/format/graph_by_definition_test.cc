// Compares graph folders with a naive construction from the edge list.
#include <algorithm>
#include <cmath>
#include <cstring>
#include <map>
#include <set>
#include <tuple>

#include "gtest/gtest.h"
#include "partition/format/graph.h"
#include "partition/format/testing/random_graph.h"

namespace tributary {
namespace {

struct Edge {
  int64_t neighbor, id;
  std::vector<float> attr;
  double weight = 0;
  int64_t time = 0;
  std::vector<int> masks;
  friend auto operator<=>(const Edge&, const Edge&) = default;
};
using InEdges = std::map<int64_t, std::vector<Edge>>;

double StoredWeight(const GraphSpec& spec, size_t edge) {
  const double weight = spec.weight[edge];
  return spec.weight_dtype == DType::kFloat32 ? static_cast<float>(weight)
                                              : weight;
}

// The numbers that are stored of a row: multiplied out, where it is scaled.
std::vector<float> StoredRow(const GraphSpec& spec,
                             std::vector<float> numbers) {
  if (!spec.scaled) return numbers;
  float most = 0;
  for (const float number : numbers) most = std::max(most, std::fabs(number));
  const float scale = most / 127;
  for (float& number : numbers) {
    number = scale == 0 ? 0 : std::nearbyint(number / scale) * scale;
  }
  return numbers;
}

// One edge after the other, sorted at the end.
InEdges NaiveInEdges(const GraphSpec& spec) {
  InEdges in;
  for (size_t i = 0; i < spec.edges.size(); ++i) {
    const auto [u, v] = spec.edges[i];
    const std::vector<float> attr =
        StoredRow(spec, {spec.edge_attr[2 * i], spec.edge_attr[2 * i + 1]});
    const auto id = static_cast<int64_t>(i);
    const double weight = spec.weight.empty() ? 0 : StoredWeight(spec, i);
    const int64_t time = spec.edge_time.empty() ? 0 : spec.edge_time[i];
    std::vector<int> masks;
    for (const auto& [name, mask] : spec.masks) masks.push_back(mask[i]);
    in[v].push_back(
        {u, spec.add_reverse ? 2 * id : id, attr, weight, time, masks});
    if (!spec.add_reverse) continue;
    in[u].push_back({v, 2 * id + 1, attr, weight, time, masks});
  }
  for (auto& [v, edges] : in) {
    std::sort(edges.begin(), edges.end());
    if (!spec.dedupe) continue;
    std::set<int64_t> seen;
    std::erase_if(edges, [&](const Edge& edge) {
      return !seen.insert(edge.neighbor).second;
    });
  }
  return in;
}

template <typename T>
std::vector<T> RowOf(absl::Span<const uint8_t> data, uint64_t row, size_t dim) {
  std::vector<T> values(dim);
  std::memcpy(values.data(), data.data() + row * dim * sizeof(T),
              dim * sizeof(T));
  return values;
}

// A row of features; of a scaled column the values times the scale.
std::vector<float> FeaturesOf(absl::Span<const uint8_t> data, uint64_t row,
                              const ColumnSchema& column) {
  const auto dim = static_cast<size_t>(column.dim);
  if (!column.scaled) return RowOf<float>(data, row, dim);
  const uint8_t* const at = data.data() + row * (dim + 4);
  float scale;
  std::memcpy(&scale, at + dim, sizeof(scale));
  std::vector<float> numbers;
  for (size_t j = 0; j < dim; ++j) {
    numbers.push_back(static_cast<float>(static_cast<int8_t>(at[j])) * scale);
  }
  return numbers;
}

// The time at a canonical position, by going through all ranks.
int64_t TimeAt(const TimeOrder& order, uint64_t begin, uint64_t end,
               uint64_t position) {
  for (uint64_t i = begin; i < end; ++i) {
    if (order.position[i] == position) return order.time[i];
  }
  ADD_FAILURE() << "no rank has position " << position;
  return 0;
}

double WeightAt(const Graph& graph, const EdgePartition& edges, uint64_t i) {
  return graph.schema().edge_types[0].weight_dtype == DType::kFloat32
             ? RowOf<float>(edges.weight, i, 1)[0]
             : RowOf<double>(edges.weight, i, 1)[0];
}

InEdges EdgesOf(const Graph& graph) {
  const NodeTypeSchema& type = graph.schema().node_types[0];
  const EdgeTypeSchema& schema = graph.schema().edge_types[0];
  InEdges in;
  for (uint32_t p : graph.partitions()) {
    const EdgePartition& edges = *graph.edges(0, p);
    for (size_t row = 0; row + 1 < edges.indptr.size(); ++row) {
      const int64_t v = graph.nodes(0, p)->orig_id[row];
      const uint64_t begin = edges.indptr[row], end = edges.indptr[row + 1];
      for (uint64_t i = begin; i < end; ++i) {
        const auto internal = static_cast<int64_t>(edges.indices[i]);
        const uint32_t q = type.PartitionOf(internal);
        const int64_t u = graph.nodes(0, q)->orig_id[internal - type.base[q]];
        Edge edge{u, static_cast<int64_t>(edges.edge_id[i]),
                  FeaturesOf(edges.edge_attr, i, *schema.edge_attr)};
        if (schema.weighted) edge.weight = WeightAt(graph, edges, i);
        if (schema.timed) {
          edge.time = TimeAt(edges.edge_time, begin, end, i - begin);
        }
        if (schema.neighbor_ids) {
          EXPECT_EQ(edges.neighbor_id[i], u);
        }
        for (const auto& mask : edges.masks) edge.masks.push_back(mask[i]);
        in[v].push_back(edge);
      }
    }
  }
  return in;
}

// Counts degrees edge by edge; all partitions are open.
void ExpectDegrees(const Graph& graph, const InEdges& edges) {
  const DegreeArrays* degrees = graph.degrees(0);
  ASSERT_EQ(degrees != nullptr, graph.schema().edge_types[0].degrees);
  if (degrees == nullptr) return;
  const int64_t nodes = graph.schema().node_types[0].num_nodes;
  std::vector<uint64_t> in(nodes), out(nodes), stored_in, stored_out;
  for (const auto& [v, row] : edges) {
    for (const Edge& edge : row) ++in[v], ++out[edge.neighbor];
  }
  for (int64_t v = 0; v < nodes; ++v) {
    stored_in.push_back(degrees->in[v]);
    stored_out.push_back(degrees->out[v]);
  }
  EXPECT_EQ(stored_in, in);
  EXPECT_EQ(stored_out, out);
}

// Checks each sum of a row against its weights, computed anew.
void ExpectSums(const std::vector<Edge>& row, const EdgePartition& edges,
                uint64_t begin) {
  double max = 0;
  for (const Edge& edge : row) max = std::max(max, edge.weight);
  for (size_t last = 0; last < row.size(); ++last) {
    uint64_t sum = 0;
    for (size_t i = 0; i <= last; ++i) {
      if (row[i].weight == 0) continue;
      const double scaled = std::nearbyint(row[i].weight / max * 0xffffffff);
      sum += scaled < 1 ? 1 : static_cast<uint64_t>(scaled);
    }
    EXPECT_EQ(edges.weight_sum[begin + last], sum);
  }
}

// A stable sort of the row's times.
void ExpectOrder(const std::vector<int64_t>& times, const TimeOrder& order,
                 uint64_t begin) {
  std::vector<uint64_t> positions(times.size());
  for (size_t i = 0; i < times.size(); ++i) positions[i] = i;
  std::stable_sort(positions.begin(), positions.end(),
                   [&](auto a, auto b) { return times[a] < times[b]; });
  for (size_t rank = 0; rank < times.size(); ++rank) {
    EXPECT_EQ(order.position[begin + rank], positions[rank]);
    EXPECT_EQ(order.time[begin + rank], times[positions[rank]]);
  }
}

void ExpectDerived(const Graph& graph, const GraphSpec& spec, InEdges& in) {
  for (uint32_t p : graph.partitions()) {
    const EdgePartition& edges = *graph.edges(0, p);
    for (size_t r = 0; r + 1 < edges.indptr.size(); ++r) {
      const std::vector<Edge>& row = in[graph.nodes(0, p)->orig_id[r]];
      std::vector<int64_t> times, neighbor_times;
      for (const Edge& edge : row) {
        times.push_back(edge.time);
        if (!spec.node_time.empty()) {
          neighbor_times.push_back(spec.node_time[edge.neighbor]);
        }
      }
      const uint64_t begin = edges.indptr[r];
      if (!spec.weight.empty()) ExpectSums(row, edges, begin);
      if (!spec.edge_time.empty()) ExpectOrder(times, edges.edge_time, begin);
      ExpectOrder(neighbor_times, edges.neighbor_time, begin);
    }
  }
}

void ExpectNodesOf(const Graph& graph, const GraphSpec& spec) {
  int64_t found = 0;
  for (uint32_t p = 0; p < spec.num_partitions; ++p) {
    const NodePartition& nodes = *graph.nodes(0, p);
    for (size_t row = 0; row < nodes.orig_id.size(); ++row, ++found) {
      const int64_t v = nodes.orig_id[row];
      EXPECT_EQ(spec.partition_of[v], p);
      EXPECT_EQ(*graph.node_map(0).Locate(v), (NodeLocation{p, row}));
      EXPECT_EQ(FeaturesOf(nodes.x, row, *graph.schema().node_types[0].x),
                StoredRow(spec, {spec.x.begin() + 3 * v,
                                 spec.x.begin() + 3 * v + 3}));
      EXPECT_EQ(RowOf<int64_t>(nodes.y, row, 1)[0], spec.y[v]);
      if (!spec.node_time.empty()) {
        EXPECT_EQ(nodes.time[row], spec.node_time[v]);
      }
    }
    EXPECT_TRUE(std::is_sorted(nodes.orig_id.begin(), nodes.orig_id.end()));
  }
  EXPECT_EQ(found, spec.num_nodes);
}

TEST(GraphByDefinitionTest, EveryRowAndEdgeIsThere) {
  for (uint32_t seed = 0; seed < 32; ++seed) {
    SCOPED_TRACE(seed);
    const GraphSpec spec = RandomGraph(seed);
    const auto graph = BuildGraph(spec, {.verify = true});
    InEdges in = NaiveInEdges(spec);
    EXPECT_EQ(EdgesOf(*graph), in);
    ExpectDegrees(*graph, in);
    ExpectDerived(*graph, spec, in);
    ExpectNodesOf(*graph, spec);
    EXPECT_EQ(*graph->Split(0, "train"), spec.splits.at("train"));
  }
}

TEST(GraphByDefinitionTest, ContentDigestIsThatOfAnyPartitioning) {
  for (uint32_t seed = 0; seed < 32; seed += 3) {
    GraphSpec spec = RandomGraph(seed);
    const auto digest = BuildGraph(spec)->schema().content_digest;
    spec.num_partitions = 1;
    spec.partition_of.clear();
    EXPECT_EQ(BuildGraph(spec)->schema().content_digest, digest) << seed;
  }
}

// Changes of the same graph that must change the digest.
TEST(GraphByDefinitionTest, ContentDigestTellsEveryChange) {
  const GraphSpec base{.num_nodes = 4,
                       .edges = {{0, 1}, {2, 1}, {3, 3}},
                       .x = {1, 2, 3, 4, 5, 6, 7, 8},
                       .x_dim = 2,
                       .y = {0, 1, 0, 1},
                       .edge_attr = {1, 2, 3},
                       .splits = {{"public/train", {0, 1}}}};
  GraphSpec full = base;
  full.node_time = {1, 2, 3, 4};
  full.weight = {1, 2, 3};
  full.edge_time = {1, 2, 3};
  full.masks = {{"a", {0, 1, 1}}, {"b", {0, 0, 0}}};
  const std::vector<void (*)(GraphSpec&)> changes = {
      [](GraphSpec& s) {
        s.edges[0] = {3, 1};
      },  // another neighbour
      [](GraphSpec& s) {
        s.edges[0] = {1, 0};
      },  // exchanged ends
      [](GraphSpec& s) { std::swap(s.edges[0], s.edges[1]); },  // ids
      [](GraphSpec& s) {
        s.edges.pop_back();
        s.edge_attr.pop_back();
      },
      [](GraphSpec& s) {
        s.edges.emplace_back(0, 1);
        s.edge_attr.push_back(1);
      },
      [](GraphSpec& s) { s.x[3] = 4.0000005f; },
      [](GraphSpec& s) { s.x[0] = -0.0f; },
      [](GraphSpec& s) { s.x_dim = 1, s.x.resize(4); },
      [](GraphSpec& s) { s.x.clear(); },
      [](GraphSpec& s) { s.scaled = true; },
      [](GraphSpec& s) { s.scaled = true, s.x[0] = 0.5f; },
      [](GraphSpec& s) { s.scaled = true, s.edge_attr[2] = 4; },
      [](GraphSpec& s) { s.y[0] = 2; },
      [](GraphSpec& s) { s.y.clear(); },
      [](GraphSpec& s) { s.edge_attr[2] = 4; },
      [](GraphSpec& s) { s.edge_attr.clear(); },
      [](GraphSpec& s) {
        s.splits["public/train"] = {1, 0};
      },
      [](GraphSpec& s) {
        s.splits = {{"other/train", {0, 1}}};
      },
      [](GraphSpec& s) {
        s.splits = {{"public/valid", {0, 1}}};
      },
      [](GraphSpec& s) { s.splits.clear(); },
      [](GraphSpec& s) {
        s.edge_splits = {{"public/train", {0, 1, 0}}};
      },
      [](GraphSpec& s) {
        s.edge_splits = {{"public/train", {0, 1, -1}}};
      },
      [](GraphSpec& s) { s.add_reverse = true; },
      [](GraphSpec& s) {  // one isolated node more
        s.num_nodes = 5;
        s.x.resize(10);
        s.y.push_back(0);
      },
  };
  const std::vector<void (*)(GraphSpec&)> column_changes = {
      [](GraphSpec&) {},
      [](GraphSpec& s) { s.node_time[3] = 5; },
      [](GraphSpec& s) { s.node_time.clear(); },
      [](GraphSpec& s) { s.weight[0] = 5e-324; },
      [](GraphSpec& s) { s.weight_dtype = DType::kFloat32; },
      [](GraphSpec& s) { s.weight.clear(); },
      [](GraphSpec& s) { s.edge_time[2] = -3; },
      [](GraphSpec& s) { s.edge_time.clear(); },
      [](GraphSpec& s) { s.node_time.clear(), s.edge_time.clear(); },
      [](GraphSpec& s) { s.node_time.clear(), s.weight.clear(); },
      [](GraphSpec& s) { s.edge_time.clear(), s.weight.clear(); },
      [](GraphSpec& s) { s.masks["a"][0] = 1; },
      [](GraphSpec& s) { s.masks["b"][0] = 1; },
      [](GraphSpec& s) { std::swap(s.masks["a"], s.masks["b"]); },
      [](GraphSpec& s) { s.masks.erase("b"); },
      [](GraphSpec& s) { s.masks["c"].swap(s.masks["b"]), s.masks.erase("b"); },
      [](GraphSpec& s) { s.masks.clear(); },
  };
  std::set<Sha256Digest> digests = {BuildGraph(base)->schema().content_digest};
  for (size_t i = 0; i < column_changes.size(); ++i) {
    GraphSpec spec = full;
    column_changes[i](spec);
    EXPECT_TRUE(
        digests.insert(BuildGraph(spec)->schema().content_digest).second)
        << "change of columns " << i;
  }
  for (size_t i = 0; i < changes.size(); ++i) {
    GraphSpec spec = base;
    changes[i](spec);
    EXPECT_TRUE(
        digests.insert(BuildGraph(spec)->schema().content_digest).second)
        << "change " << i;
  }
}

}  // namespace
}  // namespace tributary
