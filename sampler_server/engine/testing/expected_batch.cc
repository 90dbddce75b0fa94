#include "sampler_server/engine/testing/expected_batch.h"

#include <algorithm>
#include <map>
#include <utility>

#include "common/tensor/dtype.h"
#include "sampler_server/engine/testing/definition.h"
#include "sampler_server/engine/testing/expected_predicate.h"
#include "sampler_server/engine/testing/expected_subgraph.h"

namespace tributary {
namespace {

using Tensor = ExpectedTensor;

template <typename T>
Tensor Make(DType dtype, std::vector<uint64_t> dims,
            const std::vector<T>& values) {
  return MakeExpectedTensor(dtype, std::move(dims), values);
}

class BatchDefinition {
 public:
  BatchDefinition(const MemoryGraphSpec& graph, const SpecOptions& options,
                  uint64_t epoch, uint64_t index, const EdgeExcluder& excludes,
                  const SubgraphFinisher& after)
      : graph_(graph),
        options_(options),
        epoch_(epoch),
        index_(index),
        excludes_(excludes),
        after_(after) {}

  std::string Run(const std::vector<int64_t>& number,
                  const std::vector<int64_t>& inputs,
                  const std::vector<int64_t>& times) {
    std::vector<int64_t> tree_time = times;
    std::vector<HopStart> starts;
    for (size_t i = 0; i < inputs.size(); ++i) {
      if (options_.draws.input_time == InputTimeMode::kOwn) {
        tree_time.push_back(NodeType(InputType()).time[inputs[i]]);
      }
      starts.push_back({InputType(), static_cast<int64_t>(i), inputs[i]});
    }
    const std::vector<int32_t> seed_index = RunFrom(starts, tree_time);
    const std::string suffix = graph_.heterogeneous ? "/" + InputType() : "";
    tensors_["batch_size" + suffix] =
        Make<int64_t>(DType::kInt64, {1}, {nodes_[InputType()].per_hop[0]});
    tensors_["input_id" + suffix] =
        Make(DType::kInt64, {number.size()}, number);
    tensors_["seed_index" + suffix] =
        Make(DType::kInt32, {number.size()}, seed_index);
    if (options_.collect.has(CollectedColumn::kSeedTime)) {
      tensors_["seed_time" + suffix] =
          Make(DType::kInt64, {number.size()}, tree_time);
    }
    return DigestOf(tensors_);
  }

  // The local numbers of `starts`.
  std::vector<int32_t> RunFrom(const std::vector<HopStart>& starts,
                               const std::vector<int64_t>& tree_time) {
    Prepare();
    times_ = tree_time;
    std::vector<int32_t> local;
    for (const HopStart& start : starts) {
      ExpectedNodes& type = nodes_[start.type];
      if (start.id < 0) continue;
      local.push_back(static_cast<int32_t>(
          type.Number({Disjoint() ? start.tree : 0, start.id})));
    }
    for (auto& [name, type] : nodes_) {
      type.end = type.all.size();
      type.per_hop.push_back(static_cast<int64_t>(type.all.size()));
    }
    for (size_t hop = 0; hop < num_hops_; ++hop) RunHop(hop);
    if (options_.subgraph.type == SubgraphType::kInduced) {
      Induce(graph_, nodes_, edges_);
    }
    if (options_.subgraph.type == SubgraphType::kBidirectional) {
      Mirror(graph_, edges_);
    }
    if (after_) tensors_ = after_(nodes_, edges_);
    AddNodeTensors();
    AddEdgeTensors();
    return local;
  }

  std::string DigestWith(const std::map<std::string, Tensor>& own) {
    tensors_.insert(own.begin(), own.end());
    return DigestOf(tensors_);
  }

 private:
  std::string InputType() const {
    return options_.input_type.empty() ? graph_.node_types[0].name
                                       : options_.input_type;
  }

  bool Disjoint() const {
    return options_.draws.disjoint || options_.draws.time != TimeMode::kNone;
  }

  const MemoryGraphSpec::NodeType& NodeType(const std::string& name) const {
    size_t i = 0;
    while (graph_.node_types[i].name != name) ++i;
    return graph_.node_types[i];
  }

  // Variates of a neighbour, in LABOR; of a node and edge type otherwise.
  PhiloxKey Key(size_t hop, const std::string& name) const {
    DefinedKeyParts parts{.random_seed = options_.random_seed,
                          .epoch = epoch_,
                          .batch = index_,
                          .hop = static_cast<uint32_t>(hop),
                          .name = name};
    if (options_.draws.draw == DrawMode::kLabor) {
      parts.purpose = 5;
      parts.name = "";
      if (options_.draws.layer_dependency) parts.hop = 0;
    }
    return DefinedKey(parts);
  }

  bool MayDraw(size_t t, size_t e) const {
    return (!excludes_ || !excludes_(t, e)) &&
           IsEligible(options_.draws, graph_.edge_types[t], e);
  }

  // Of both directions self loops are among the in-edges.
  bool IsLeftOut(size_t t, size_t e, bool out) const {
    const auto& type = graph_.edge_types[t];
    return out && options_.draws.edge_dir == EdgeDirection::kBoth &&
           type.src == type.dst && type.edges[e].first == type.edges[e].second;
  }

  // The type of the nodes that draw, and of those that they draw.
  const std::string& RowType(size_t t, bool out) const {
    return out ? graph_.edge_types[t].src : graph_.edge_types[t].dst;
  }
  const std::string& NeighborType(size_t t, bool out) const {
    return RowType(t, !out);
  }

  // Of the edges as they are stored by the nodes that draw.
  std::string KeyName(size_t t, bool out) const {
    const auto& type = graph_.edge_types[t];
    if (!out) return type.name();
    const std::string rel =
        type.reverse ? type.rel.substr(4) : "rev_" + type.rel;
    return type.dst + "," + rel + "," + type.src;
  }

  // The positions of type t, of one draw among all edges that end at node v,
  // type after type.
  std::vector<uint64_t> DrawAcrossTypes(size_t t, size_t v, size_t hop) const {
    const std::string& dst = graph_.edge_types[t].dst;
    const ExpectedNodes& rows = nodes_.at(dst);
    uint64_t types = 0, all = 0, before = 0, own = 0;
    for (const auto& [other, edges] : edges_) {
      if (graph_.edge_types[other].dst != dst) continue;
      const auto found = edges.adjacency.find(rows.all[v].id);
      const uint64_t degree =
          found == edges.adjacency.end() ? 0 : found->second.size();
      ++types;
      all += degree;
      if (other < t) before += degree;
      if (other == t) own = degree;
    }
    const Words words =
        DefinedWords(Key(hop, types > 1 ? dst : graph_.edge_types[t].name()),
                     rows.in_tree[v], static_cast<uint32_t>(rows.all[v].tree));
    std::vector<uint64_t> positions;
    for (const uint64_t p :
         DefinedDraw(words, all, edges_.at(t).fanouts[hop], options_.replace)) {
      if (p >= before && p < before + own) positions.push_back(p - before);
    }
    return positions;
  }

  // The positions that node v emits: those of a draw among the ones that may be
  // drawn.
  std::vector<uint64_t> Draw(size_t t, bool out, size_t v, size_t hop) const {
    if (options_.draws.draw == DrawMode::kAcrossTypes) {
      return DrawAcrossTypes(t, v, hop);
    }
    const auto& lists =
        out ? edges_.at(t).out_adjacency : edges_.at(t).adjacency;
    const auto found = lists.find(nodes_.at(RowType(t, out)).all[v].id);
    if (found == lists.end()) return {};
    std::vector<uint64_t> may;
    for (uint64_t p = 0; p < found->second.size(); ++p) {
      if (MayDraw(t, found->second[p].second)) may.push_back(p);
    }
    std::vector<uint64_t> positions;
    for (uint64_t rank : DrawAmong(t, out, v, hop, may, found->second)) {
      const uint64_t p = may[rank];
      if (!IsLeftOut(t, found->second[p].second, out)) positions.push_back(p);
    }
    return positions;
  }

  // Ranks among `may`, positions of all of the node's edges.
  std::vector<uint64_t> DrawAmong(
      size_t t, bool out, size_t v, size_t hop,
      const std::vector<uint64_t>& may,
      const std::vector<std::pair<int64_t, int64_t>>& all) const {
    const auto& type = graph_.edge_types[t];
    const DrawOptions& draws = options_.draws;
    const ExpectedEdges& edges = edges_.at(t);
    const ExpectedNodes& dst = nodes_.at(RowType(t, out));
    std::vector<std::pair<int64_t, int64_t>> list;
    for (uint64_t p : may) list.push_back(all[p]);
    const int64_t k = edges.fanouts[hop];
    const bool replace = options_.replace;
    const PhiloxKey key = Key(hop, KeyName(t, out));
    const Words words = DefinedWords(key, dst.in_tree[v],
                                     static_cast<uint32_t>(dst.all[v].tree));
    if (draws.draw == DrawMode::kLabor) {
      std::vector<uint64_t> ids;
      for (const auto& [u, e] : list) ids.push_back(static_cast<uint64_t>(u));
      return DefinedLaborDraw(key, ids, k);
    }
    if (draws.draw == DrawMode::kWeighted && !type.weight.empty()) {
      std::vector<double> weights;
      for (const auto& [u, e] : all) weights.push_back(type.weight[e]);
      const std::vector<uint64_t> integers = DefinedWeights(weights);
      std::vector<uint64_t> left;
      for (uint64_t p : may) left.push_back(integers[p]);
      return DefinedWeightedDraw(words, left, k, replace);
    }
    const auto& src_time = NodeType(NeighborType(t, out)).time;
    const bool by_edge = draws.time == TimeMode::kEdge && !type.time.empty();
    const bool by_node = draws.time == TimeMode::kNode && !src_time.empty();
    if (!by_edge && !by_node) {
      return DefinedDraw(words, list.size(), k, replace);
    }
    std::vector<int64_t> times;
    for (const auto& [u, e] : list) {
      times.push_back(by_edge ? type.time[e] : src_time[u]);
    }
    const bool latest = draws.temporal_strategy == TemporalStrategy::kLast;
    return DefinedTimedDraw(words, times,
                            {times_[dst.all[v].tree], draws.strict, latest}, k,
                            replace);
  }

  void Prepare() {
    const NumNeighbors& n = options_.num_neighbors;
    num_hops_ = n.hops();
    for (size_t t = 0; t < graph_.edge_types.size(); ++t) {
      const auto& type = graph_.edge_types[t];
      const std::string name = type.name();
      if (type.reverse && !graph_.heterogeneous) continue;
      std::vector<int32_t> fanouts(num_hops_, 0);
      const bool by_default =
          !type.reverse || options_.draws.edge_dir != EdgeDirection::kBoth;
      if (!n.by_default.empty() && by_default) fanouts = n.by_default;
      if (n.by_edge_type.count(name) > 0) fanouts = n.by_edge_type.at(name);
      if (graph_.heterogeneous &&
          fanouts == std::vector<int32_t>(num_hops_, 0)) {
        continue;
      }
      ExpectedEdges& edges = edges_[t];
      edges.fanouts = fanouts;
      for (size_t e = 0; e < type.edges.size(); ++e) {
        const auto& [u, v] = type.edges[e];
        edges.adjacency[v].emplace_back(u, e);
        edges.out_adjacency[u].emplace_back(v, e);
      }
      for (auto* lists : {&edges.adjacency, &edges.out_adjacency}) {
        for (auto& [node, list] : *lists) std::sort(list.begin(), list.end());
      }
      nodes_[type.src];
      nodes_[type.dst];
    }
  }

  void RunHop(size_t hop) {
    const EdgeDirection direction = options_.draws.edge_dir;
    for (auto& [t, edges] : edges_) {
      const size_t before = edges.ids.size();
      if (direction != EdgeDirection::kOut) RunDirection(t, false, hop, &edges);
      if (direction != EdgeDirection::kIn) RunDirection(t, true, hop, &edges);
      edges.per_hop.push_back(static_cast<int64_t>(edges.ids.size() - before));
    }
    for (auto& [name, type] : nodes_) {
      type.per_hop.push_back(static_cast<int64_t>(type.all.size() - type.end));
      type.begin = options_.expand == ExpandMode::kAll ? 0 : type.end;
      type.end = type.all.size();
    }
  }

  void RunDirection(size_t t, bool out, size_t hop, ExpectedEdges* edges) {
    const ExpectedNodes& rows = nodes_[RowType(t, out)];
    auto& lists = out ? edges->out_adjacency : edges->adjacency;
    for (size_t v = rows.begin; edges->fanouts[hop] != 0 && v < rows.end; ++v) {
      const ExpectedNode node = rows.all[v];
      const auto& list = lists[node.id];
      for (uint64_t p : Draw(t, out, v, hop)) {
        const auto neighbor = static_cast<int32_t>(
            nodes_[NeighborType(t, out)].Number({node.tree, list[p].first}));
        (out ? edges->dst : edges->src).push_back(neighbor);
        (out ? edges->src : edges->dst).push_back(static_cast<int32_t>(v));
        edges->ids.push_back(list[p].second);
      }
      const size_t drawn = edges->ids.size() - edges->weights.size();
      edges->weights.resize(
          edges->ids.size(),
          static_cast<float>(1.0 / static_cast<double>(drawn)));
    }
  }

  void AddNodeTensors() {
    for (const auto& schema : graph_.node_types) {
      if (nodes_.count(schema.name) == 0) continue;
      const ExpectedNodes& type = nodes_[schema.name];
      const std::string suffix = graph_.heterogeneous ? "/" + schema.name : "";
      const uint64_t n = type.all.size();
      std::vector<int64_t> ids, trees;
      for (const ExpectedNode& node : type.all) {
        ids.push_back(node.id);
        trees.push_back(node.tree);
      }
      tensors_["n_id" + suffix] = Make(DType::kInt64, {n}, ids);
      if (Disjoint()) {
        tensors_["batch" + suffix] = Make(DType::kInt64, {n}, trees);
      }
      tensors_["num_sampled_nodes" + suffix] =
          Make(DType::kInt64, {num_hops_ + 1}, type.per_hop);
      if (options_.collect.has(CollectedColumn::kTime) &&
          !schema.time.empty()) {
        std::vector<int64_t> times;
        for (const int64_t id : ids) times.push_back(schema.time[id]);
        tensors_["time" + suffix] = Make(DType::kInt64, {n}, times);
      }
      std::vector<float> x;
      std::vector<int64_t> y;
      for (int64_t id : ids) {
        for (int64_t j = 0; j < schema.x_dim; ++j) {
          x.push_back(static_cast<float>(id) + static_cast<float>(j) / 8);
        }
        y.push_back(3 * id);
      }
      const auto dim = static_cast<uint64_t>(schema.x_dim);
      if (dim > 0 && options_.collect.has(CollectedColumn::kX)) {
        AddExpectedFeatures("x", suffix, {n, dim}, x, schema.scaled,
                            options_.feature_dtype, &tensors_);
      }
      if (schema.has_y && options_.collect.has(CollectedColumn::kY)) {
        tensors_["y" + suffix] = Make(DType::kInt64, {n}, y);
      }
    }
  }

  std::vector<int64_t> IdsOf(const std::string& type) {
    std::vector<int64_t> ids;
    for (const ExpectedNode& node : nodes_[type].all) ids.push_back(node.id);
    return ids;
  }

  void AddEdgeTensors() {
    for (const auto& [t, edges] : edges_) {
      const auto& type = graph_.edge_types[t];
      const std::string suffix =
          graph_.heterogeneous
              ? "/" + type.src + "__" + type.rel + "__" + type.dst
              : "";
      const uint64_t e = edges.ids.size();
      std::vector<int32_t> index = edges.src;
      index.insert(index.end(), edges.dst.begin(), edges.dst.end());
      tensors_["edge_index" + suffix] = Make(DType::kInt32, {2, e}, index);
      if (!options_.omit_edge_ids) {
        tensors_["e_id" + suffix] = Make(DType::kInt64, {e}, edges.ids);
      }
      if (options_.subgraph.type == SubgraphType::kDirectional) {
        tensors_["num_sampled_edges" + suffix] =
            Make(DType::kInt64, {num_hops_}, edges.per_hop);
      }
      if (options_.draws.draw == DrawMode::kLabor) {
        tensors_["edge_weight" + suffix] =
            Make(DType::kFloat32, {e}, edges.weights);
      }
      if (options_.collect_degrees) {
        AddExpectedDegrees(type.edges, suffix, IdsOf(type.src), IdsOf(type.dst),
                           &tensors_);
      }
      // Edges of another type are among them, whose ids are others.
      if (options_.subgraph.type == SubgraphType::kBidirectional &&
          edges_.count(ReverseOf(graph_, edges_, t)) > 0 &&
          ReverseOf(graph_, edges_, t) != t) {
        continue;
      }
      if (options_.collect.has(CollectedColumn::kWeight) &&
          !type.weight.empty()) {
        std::vector<double> weights;
        for (int64_t id : edges.ids) weights.push_back(type.weight[id]);
        tensors_["weight" + suffix] = Make(DType::kFloat64, {e}, weights);
      }
      if (!options_.collect.has(CollectedColumn::kEdgeAttr) || !type.has_attr) {
        continue;
      }
      std::vector<float> attr;
      for (int64_t id : edges.ids)
        attr.push_back(2.0f * static_cast<float>(id));
      AddExpectedFeatures("edge_attr", suffix, {e, 1}, attr, type.scaled,
                          options_.feature_dtype, &tensors_);
    }
  }

  const MemoryGraphSpec& graph_;
  const SpecOptions& options_;
  const uint64_t epoch_, index_;
  const EdgeExcluder& excludes_;
  const SubgraphFinisher& after_;
  size_t num_hops_ = 0;
  std::vector<int64_t> times_;  // per input
  ExpectedNodeTypes nodes_;     // planned types
  ExpectedEdgeTypes edges_;     // planned types, canonical order
  ExpectedTensors tensors_;
};

}  // namespace

std::string ExpectedDigest(const MemoryGraphSpec& graph,
                           const SpecOptions& options, uint64_t epoch,
                           uint64_t index,
                           const std::vector<int64_t>& input_number,
                           const std::vector<int64_t>& original_id,
                           const std::vector<int64_t>& input_time,
                           const EdgeExcluder& excludes) {
  const SubgraphFinisher none;
  return BatchDefinition(graph, options, epoch, index, excludes, none)
      .Run(input_number, original_id, input_time);
}

std::string ExpectedDigestFrom(
    const MemoryGraphSpec& graph, const SpecOptions& options, uint64_t epoch,
    uint64_t index, const std::vector<HopStart>& starts,
    const std::vector<int64_t>& tree_time,
    const std::function<ExpectedTensors(const std::vector<int32_t>& local)>&
        own,
    const EdgeExcluder& excludes, const SubgraphFinisher& after) {
  BatchDefinition batch(graph, options, epoch, index, excludes, after);
  return batch.DigestWith(own(batch.RunFrom(starts, tree_time)));
}

}  // namespace tributary
