// Layer-wise sampling, computed straight from docs/sampling.md: in original
// ids, with a layer's draw unit by unit of mass.
#include <algorithm>
#include <map>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "common/session/kinds/layerwise_spec.h"
#include "sampler_server/engine/testing/definition.h"
#include "tests/brute_force/random_case.h"
#include "tests/kinds/defined_batch.h"
#include "tests/kinds/kind_fixture.h"

namespace tributary {
namespace {

struct Edge {
  int64_t source = 0, id = 0;
};

class Layers {
 public:
  Layers(const MemoryGraphSpec& graph, const SpecOptions& options,
         const LayerwiseOptions& layerwise, const BatchRequest& request)
      : options_(options),
        layerwise_(layerwise),
        request_(request),
        batch_(graph, options, request) {
    for (const auto& type : graph.edge_types) {
      if (!layerwise.edge_type.empty() && type.name() != layerwise.edge_type) {
        continue;
      }
      type_ = &type;
      for (size_t e = 0; e < type.edges.size(); ++e) {
        in_[type.edges[e].second].push_back(
            {type.edges[e].first, static_cast<int64_t>(e)});
      }
    }
    for (auto& [v, edges] : in_) {
      std::stable_sort(edges.begin(), edges.end(),
                       [](auto& a, auto& b) { return a.source < b.source; });
    }
    suffix_ = graph.heterogeneous
                  ? "/" + type_->src + "__" + type_->rel + "__" + type_->dst
                  : "";
  }

  std::string Digest() {
    const std::string& at = batch_.input_type();
    std::vector<int64_t> new_nodes = {Size()}, new_edges;
    for (size_t l = 0; l < layerwise_.nodes_per_layer.size(); ++l) {
      const int64_t nodes = Size();
      const size_t edges = e_id_.size();
      OneLayer(l);
      new_nodes.push_back(Size() - nodes);
      new_edges.push_back(static_cast<int64_t>(e_id_.size() - edges));
    }
    const uint64_t e = e_id_.size();
    std::vector<int32_t> edge_index = src_;
    edge_index.insert(edge_index.end(), dst_.begin(), dst_.end());
    batch_.Put<int32_t>("edge_index" + suffix_, DType::kInt32, {2, e},
                        edge_index);
    if (!options_.omit_edge_ids) {
      batch_.Put<int64_t>("e_id" + suffix_, DType::kInt64, {e}, e_id_);
    }
    batch_.Put<float>("edge_weight" + suffix_, DType::kFloat32, {e}, weight_);
    batch_.Put<int64_t>("num_sampled_nodes" + batch_.Suffix(at), DType::kInt64,
                        {new_nodes.size()}, new_nodes);
    batch_.Put<int64_t>("num_sampled_edges" + suffix_, DType::kInt64,
                        {new_edges.size()}, new_edges);
    if (options_.collect.has(CollectedColumn::kWeight) &&
        !type_->weight.empty()) {
      std::vector<double> weights;
      for (const int64_t id : e_id_) weights.push_back(type_->weight[id]);
      batch_.Put<double>("weight" + suffix_, DType::kFloat64, {e}, weights);
    }
    if (options_.collect.has(CollectedColumn::kEdgeAttr) && type_->has_attr) {
      std::vector<float> attr;
      for (const int64_t id : e_id_) attr.push_back(static_cast<float>(2 * id));
      batch_.PutFeatures("edge_attr", suffix_, {e, 1}, attr, type_->scaled);
    }
    batch_.PutDegrees(type_->edges, suffix_, at);
    return batch_.Digest({at});
  }

 private:
  int64_t Size() {
    return static_cast<int64_t>(batch_.ids(batch_.input_type()).size());
  }

  void OneLayer(size_t layer) {
    const std::vector<int64_t> nodes = batch_.ids(batch_.input_type());
    uint64_t scale = uint64_t{1} << 62;
    for (uint64_t n = 1; n < nodes.size(); n *= 2) scale /= 2;
    std::vector<int64_t> candidates;
    std::map<int64_t, uint64_t> q;
    for (const int64_t v : nodes) {
      const uint64_t d = in_[v].size();
      for (const Edge& edge : in_[v]) {
        if (q.count(edge.source) == 0) candidates.push_back(edge.source);
        q[edge.source] += std::max<uint64_t>(1, scale / (d * d));
      }
    }
    if (layerwise_.importance == LayerImportance::kUniform) {
      for (auto& [u, weight] : q) weight = 1;
    }
    if (layerwise_.importance == LayerImportance::kFastGcn) {
      const std::map<int64_t, double> gain = FromGraph(layer);
      std::erase_if(candidates,
                    [&gain](int64_t u) { return gain.count(u) == 0; });
      return KeepLayer(nodes, candidates, gain);
    }
    const std::vector<int64_t> drawn = Drawn(layer, candidates, q);
    std::map<int64_t, double> gain;
    for (const auto& [u, weight] : q) {
      gain[u] = drawn.size() == candidates.size()
                    ? 1.0
                    : 1.0 / static_cast<double>(weight);
    }
    KeepLayer(nodes, drawn, gain);
  }

  void KeepLayer(const std::vector<int64_t>& nodes,
                 const std::vector<int64_t>& drawn,
                 const std::map<int64_t, double>& gain) {
    for (const int64_t u : drawn) batch_.Number(batch_.input_type(), u);
    for (const int64_t v : nodes) KeepEdges(v, drawn, gain);
  }

  // How often each node was drawn over its out-degree: the source of an edge
  // that is one of all, in the order of their sources.
  std::map<int64_t, double> FromGraph(size_t layer) {
    std::vector<int64_t> sources;
    std::map<int64_t, double> degree, drawn;
    for (const auto& [u, v] : type_->edges) {
      sources.push_back(u);
      ++degree[u];
    }
    std::sort(sources.begin(), sources.end());
    const Words words = LayerWords(layer);
    for (uint32_t i = 0; i < layerwise_.nodes_per_layer[layer]; ++i) {
      // Of 2^16 units for each edge.
      ++drawn[sources[DefinedBelow(words, i, sources.size() << 16, true) >>
                      16]];
    }
    for (auto& [u, times] : drawn) times /= degree[u];
    return drawn;
  }

  Words LayerWords(size_t layer) const {
    return DefinedWords(DefinedKey({.random_seed = options_.random_seed,
                                    .epoch = request_.key.epoch,
                                    .batch = request_.key.index,
                                    .purpose = 6,
                                    .hop = static_cast<uint32_t>(layer),
                                    .name = type_->name()}),
                        0);
  }

  std::vector<int64_t> Drawn(size_t layer, std::vector<int64_t> candidates,
                             const std::map<int64_t, uint64_t>& q) {
    const uint32_t k = layerwise_.nodes_per_layer[layer];
    if (candidates.size() <= k) return candidates;
    const Words words = LayerWords(layer);
    std::vector<int64_t> left = candidates;
    for (uint32_t i = 0; i < k; ++i) {
      uint64_t mass = 0;
      for (const int64_t u : left) mass += q.at(u);
      uint64_t r = DefinedBelow(words, i, mass, true);
      size_t at = 0;
      for (; r >= q.at(left[at]); ++at) r -= q.at(left[at]);
      left.erase(left.begin() + static_cast<int64_t>(at));
    }
    for (const int64_t u : left) std::erase(candidates, u);
    return candidates;
  }

  void KeepEdges(int64_t v, const std::vector<int64_t>& drawn,
                 const std::map<int64_t, double>& gain) {
    std::vector<double> of_node;
    for (const Edge& edge : in_[v]) {
      if (std::find(drawn.begin(), drawn.end(), edge.source) == drawn.end()) {
        continue;
      }
      src_.push_back(batch_.Number(batch_.input_type(), edge.source));
      dst_.push_back(batch_.Number(batch_.input_type(), v));
      e_id_.push_back(edge.id);
      of_node.push_back(gain.at(edge.source));
    }
    double sum = 0;
    for (const double g : of_node) sum += g;
    for (const double g : of_node) {
      weight_.push_back(static_cast<float>(g / sum));
    }
  }

  const SpecOptions& options_;
  const LayerwiseOptions& layerwise_;
  const BatchRequest& request_;
  DefinedBatch batch_;
  const MemoryGraphSpec::EdgeType* type_ = nullptr;
  std::map<int64_t, std::vector<Edge>> in_;
  std::string suffix_;
  std::vector<int32_t> src_, dst_;
  std::vector<int64_t> e_id_;
  std::vector<float> weight_;
};

// Whether the type, or the only one, has some.
bool HasEdges(const MemoryGraphSpec& graph, const std::string& name) {
  for (const auto& type : graph.edge_types) {
    if (name.empty() || type.name() == name) return !type.edges.empty();
  }
  return false;
}

// Adds the columns time and weight to some cases of graphs that have them.
CollectedColumns ColumnsOf(const RandomCase& random, uint64_t seed,
                           const std::string& edge_type,
                           CollectedColumns columns) {
  if (seed % 2 == 0) return UsualColumns(columns);
  columns = {CollectedColumn::kX, CollectedColumn::kEdgeAttr};
  const std::string& input = random.batch.options.input_type;
  for (const auto& type : random.graph.node_types) {
    const bool is_input = input.empty() || type.name == input;
    if (is_input && !type.time.empty()) columns.Add(CollectedColumn::kTime);
    if (is_input) break;
  }
  for (const auto& type : random.graph.edge_types) {
    const bool is_read = edge_type.empty() || type.name() == edge_type;
    if (is_read && !type.weight.empty()) columns.Add(CollectedColumn::kWeight);
  }
  return columns;
}

class Fixture final : public KindFixture {
 public:
  absl::string_view kind() const override { return "layerwise"; }

  KindCase MakeCase(uint64_t seed) const override {
    RandomCase random;
    LayerwiseOptions layerwise;
    for (uint64_t next = seed; layerwise.edge_type.empty(); next += 1'000'003) {
      random = MakeRandomCase(next);
      const std::string& input = random.batch.options.input_type;
      const std::string at =
          input.empty() ? random.graph.node_types[0].name : input;
      for (const auto& type : random.graph.edge_types) {
        if (type.src == at && type.dst == at) layerwise.edge_type = type.name();
      }
    }
    if (random.graph.edge_types.size() == 1) layerwise.edge_type.clear();
    // These options are for neighbours.
    random.batch.options.draws = {};
    random.batch.options.collect_degrees = seed % 5 == 2;
    random.batch.options.omit_edge_ids = seed % 3 == 1;
    random.batch.input_time.clear();
    random.batch.options.collect = ColumnsOf(random, seed, layerwise.edge_type,
                                             random.batch.options.collect);
    for (uint64_t l = 0; l <= seed % 3; ++l) {
      layerwise.nodes_per_layer.push_back(1 + (seed * 29 + l * 11) % 25);
    }
    if (seed % 4 == 3) layerwise.importance = LayerImportance::kUniform;
    if (seed % 4 == 1 && HasEdges(random.graph, layerwise.edge_type)) {
      layerwise.importance = LayerImportance::kFastGcn;
    }
    KindCase made{random.graph, random.batch, nullptr, Describe(random)};
    made.batch.build_spec = [layerwise](const SpecGraph& graph,
                                        const SpecOptions& options) {
      return BuildLayerwiseSpec(graph, options, layerwise);
    };
    made.defined = [graph = made.graph, options = made.batch.options,
                    layerwise](const BatchRequest& request) {
      return Layers(graph, options, layerwise, request).Digest();
    };
    absl::StrAppend(&made.description, "layers of ",
                    absl::StrJoin(layerwise.nodes_per_layer, ","), " along '",
                    layerwise.edge_type, "', importance ",
                    static_cast<int>(layerwise.importance), "\n");
    return made;
  }
};

}  // namespace

const KindFixture& LayerwiseFixture() {
  static const Fixture fixture;
  return fixture;
}

}  // namespace tributary
