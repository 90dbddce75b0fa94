// Graph folders against a naive construction from the edge list.
#include <algorithm>
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
  friend auto operator<=>(const Edge&, const Edge&) = default;
};
using InEdges = std::map<int64_t, std::vector<Edge>>;

// One edge after the other, sorted at the end.
InEdges NaiveInEdges(const GraphSpec& spec) {
  InEdges in;
  for (size_t i = 0; i < spec.edges.size(); ++i) {
    const auto [u, v] = spec.edges[i];
    const std::vector<float> attr(spec.edge_attr.begin() + 2 * i,
                                  spec.edge_attr.begin() + 2 * i + 2);
    const auto id = static_cast<int64_t>(i);
    in[v].push_back({u, spec.add_reverse ? 2 * id : id, attr});
    if (spec.add_reverse) in[u].push_back({v, 2 * id + 1, attr});
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

InEdges EdgesOf(const Graph& graph) {
  const NodeTypeSchema& type = graph.schema().node_types[0];
  InEdges in;
  for (uint32_t p : graph.partitions()) {
    const EdgePartition& edges = *graph.edges(0, p);
    for (size_t row = 0; row + 1 < edges.indptr.size(); ++row) {
      const int64_t v = graph.nodes(0, p)->orig_id[row];
      for (uint64_t i = edges.indptr[row]; i < edges.indptr[row + 1]; ++i) {
        const auto internal = static_cast<int64_t>(edges.indices[i]);
        const uint32_t q = type.PartitionOf(internal);
        in[v].push_back({graph.nodes(0, q)->orig_id[internal - type.base[q]],
                         static_cast<int64_t>(edges.edge_id[i]),
                         RowOf<float>(edges.edge_attr, i, 2)});
      }
    }
  }
  return in;
}

void ExpectNodesOf(const Graph& graph, const GraphSpec& spec) {
  int64_t found = 0;
  for (uint32_t p = 0; p < spec.num_partitions; ++p) {
    const NodePartition& nodes = *graph.nodes(0, p);
    for (size_t row = 0; row < nodes.orig_id.size(); ++row, ++found) {
      const int64_t v = nodes.orig_id[row];
      EXPECT_EQ(spec.partition_of[v], p);
      EXPECT_EQ(*graph.node_map(0).Locate(v), (NodeLocation{p, row}));
      EXPECT_EQ(RowOf<float>(nodes.x, row, 3),
                std::vector<float>(spec.x.begin() + 3 * v,
                                   spec.x.begin() + 3 * v + 3));
      EXPECT_EQ(RowOf<int64_t>(nodes.y, row, 1)[0], spec.y[v]);
    }
    EXPECT_TRUE(std::is_sorted(nodes.orig_id.begin(), nodes.orig_id.end()));
  }
  EXPECT_EQ(found, spec.num_nodes);
}

TEST(GraphOracle, EveryRowAndEdgeIsThere) {
  for (uint32_t seed = 0; seed < 24; ++seed) {
    SCOPED_TRACE(seed);
    const GraphSpec spec = RandomGraph(seed);
    const auto graph = BuildGraph(spec, {.verify = true});
    EXPECT_EQ(EdgesOf(*graph), NaiveInEdges(spec));
    ExpectNodesOf(*graph, spec);
    EXPECT_EQ(*graph->Split(0, "train"), spec.splits.at("train"));
  }
}

TEST(GraphOracle, ContentDigestIsThatOfAnyPartitioning) {
  for (uint32_t seed = 0; seed < 4; ++seed) {
    GraphSpec spec = RandomGraph(seed);
    const auto digest = BuildGraph(spec)->schema().content_digest;
    spec.num_partitions = 1;
    spec.partition_of.clear();
    EXPECT_EQ(BuildGraph(spec)->schema().content_digest, digest) << seed;
  }
}

// What must give another digest, each from the same graph.
TEST(GraphOracle, ContentDigestTellsEveryChange) {
  const GraphSpec base{.num_nodes = 4,
                       .edges = {{0, 1}, {2, 1}, {3, 3}},
                       .x = {1, 2, 3, 4, 5, 6, 7, 8},
                       .x_dim = 2,
                       .y = {0, 1, 0, 1},
                       .edge_attr = {1, 2, 3},
                       .splits = {{"public/train", {0, 1}}}};
  const std::vector<void (*)(GraphSpec&)> changes = {
      [](GraphSpec& s) {
        s.edges[0] = {3, 1};
      },  // another neighbour
      [](GraphSpec& s) {
        s.edges[0] = {1, 0};
      },                                                        // turned round
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
      [](GraphSpec& s) { s.add_reverse = true; },
      [](GraphSpec& s) {  // one isolated node more
        s.num_nodes = 5;
        s.x.resize(10);
        s.y.push_back(0);
      },
  };
  std::set<Sha256Digest> digests = {BuildGraph(base)->schema().content_digest};
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
