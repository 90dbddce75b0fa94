#include "trainer_client/torch/nn/testing/tiny_batch.h"

#include <ATen/ATen.h>

namespace tributary {
namespace {

constexpr int kHops = 2;

at::Tensor Ints(const std::vector<int32_t>& values) {
  return at::tensor(values, at::kInt);
}

// The edges of a relation into the first num_dst nodes.
RelationBlock Block(const TinyGraph& graph, size_t relation, int64_t num_src,
                    int64_t num_dst) {
  std::vector<int32_t> indptr{0};
  std::vector<int32_t> src;
  std::vector<int32_t> numbers;
  const auto& edges = graph.edges[relation];
  for (int64_t v = 0; v < num_dst; ++v) {
    for (size_t e = 0; e < edges.size(); ++e) {
      if (edges[e].second != v) continue;
      src.push_back(edges[e].first);
      numbers.push_back(static_cast<int32_t>(e));
    }
    indptr.push_back(static_cast<int32_t>(src.size()));
  }
  return {.relation = relation,
          .num_src = num_src,
          .num_dst = num_dst,
          .indptr = Ints(indptr),
          .src = Ints(src),
          .edge = Ints(numbers)};
}

LayerGraph Layer(const TinyGraph& graph, int layer) {
  LayerGraph result;
  for (const auto& nodes : graph.nodes) {
    result.num_src.push_back(nodes[kHops - layer]);
    result.num_dst.push_back(nodes[kHops - layer - 1]);
  }
  for (size_t r = 0; r < graph.edges.size(); ++r) {
    const auto& relation = graph.types.relations[r];
    RelationBlock block = Block(graph, r, result.num_src[relation.src_type],
                                result.num_dst[relation.dst_type]);
    if (block.num_edges() > 0) result.relations.push_back(std::move(block));
  }
  return result;
}

}  // namespace

at::Tensor TinyGraph::Adjacency(size_t relation) const {
  const auto& [name, src, dst] = types.relations[relation];
  at::Tensor a = at::zeros({nodes[dst].back(), nodes[src].back()}, at::kDouble);
  for (const auto& [from, to] : edges[relation]) a[to][from] += 1;
  return a;
}

MiniBatch TinyGraph::Batch(int64_t unsampled) const {
  MiniBatch batch{.draw_key = 77};
  for (size_t t = 0; t < nodes.size(); ++t) {
    const int64_t n = nodes[t].back();
    batch.x.push_back(types.feature_dim[t] > 0
                          ? at::randn({n, types.feature_dim[t]}, at::kDouble)
                          : at::Tensor());
    batch.n_id.push_back(at::arange(n, at::kLong) * 2 + 1);
  }
  for (int l = 0; l < kHops; ++l) batch.layers.push_back(Layer(*this, l));
  for (size_t r = 0; r < edges.size(); ++r) {
    batch.in_degree.push_back(Adjacency(r).sum(1).to(at::kLong) + unsampled);
    batch.out_degree.push_back(Adjacency(r).sum(0).to(at::kLong) + unsampled);
  }
  return batch;
}

TinyGraph TinyHomogeneous() {
  return {.types = {.node_types = {"node"},
                    .relations = {{.name = "node,to,node"}},
                    .feature_dim = {4},
                    .num_nodes = {20}},
          .nodes = {{3, 6, 9}},
          .edges = {{{3, 0},
                     {4, 0},
                     {3, 0},
                     {0, 1},
                     {5, 1},
                     {1, 1},
                     {6, 3},
                     {0, 3},
                     {7, 4},
                     {8, 4},
                     {2, 4},
                     {8, 5}}}};
}

TinyGraph TinyTyped() {
  return {.types = {.node_types = {"author", "paper", "venue"},
                    .relations = {{"author,reads,paper", 0, 1},
                                  {"author,writes,paper", 0, 1},
                                  {"paper,cites,paper", 1, 1},
                                  {"paper,in,venue", 1, 2},
                                  {"paper,rev_writes,author", 1, 0},
                                  {"venue,rev_in,paper", 2, 1}},
                    .feature_dim = {0, 4, 3},
                    .num_nodes = {20, 30, 10}},
          .nodes = {{0, 2, 4}, {2, 4, 6}, {0, 1, 2}},
          .edges = {{},
                    {{0, 0}, {1, 1}, {0, 1}, {2, 2}, {3, 2}, {1, 3}},
                    {{2, 0}, {3, 0}, {1, 0}, {4, 2}, {5, 3}},
                    {{0, 0}, {5, 0}, {3, 0}},
                    {{0, 0}, {4, 0}, {1, 1}},
                    {{0, 1}, {1, 2}, {0, 3}}}};
}

}  // namespace tributary
