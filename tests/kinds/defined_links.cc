#include "tests/kinds/defined_links.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>
#include <vector>

#include "sampler_server/engine/testing/definition.h"
#include "sampler_server/engine/testing/oracle.h"

namespace tributary {
namespace {

class DefinedLinks {
 public:
  DefinedLinks(const MemoryGraphSpec& graph,
               const MemoryGraphSpec::EdgeType& type,
               const SpecOptions& options, const NegativeSampling& negatives,
               ExcludeMode exclude, bool enclosing, const BatchRequest& request)
      : graph_(graph),
        type_(type),
        options_(options),
        negatives_(negatives),
        exclude_(exclude),
        enclosing_(enclosing),
        request_(request),
        n_(request.links.size()) {}

  std::string Digest() {
    DrawNegatives();
    const auto& links = request_.links;
    for (size_t i = 0; i < n_; ++i) Start(type_.src, i, links.source[i]);
    for (size_t i = 0; i < n_; ++i) Start(type_.dst, i, links.destination[i]);
    if (negatives_.mode == NegativeMode::kBinary) {
      for (const Negative& n : drawn_) Start(type_.src, n.link, n.source);
    }
    for (const Negative& n : drawn_) Start(type_.dst, n.link, n.destination);
    return OracleDigestFrom(
        graph_, options_, request_.key.epoch, request_.key.index, starts_,
        request_.input_time,
        [this](const std::vector<int32_t>& local) { return Own(local); },
        [this](size_t type, size_t e) {
          return &graph_.edge_types[type] == &type_ && IsExcluded(e);
        },
        enclosing_ ? OracleAfter([this](const OracleNodeTypes& nodes,
                                        OracleEdgeTypes& edges) {
          return Enclose(nodes.at(type_.src), edges);
        })
                   : OracleAfter());
  }

 private:
  using Tensors = std::map<std::string, OracleTensor>;

  // Whether edge `e` of the links' type is one of them.
  bool IsExcluded(size_t e) const {
    const auto& [u, v] = type_.edges[e];
    const LinkColumns& links = request_.links;
    for (size_t i = 0; i < n_; ++i) {
      const int64_t id =
          exclude_ == ExcludeMode::kPair || exclude_ == ExcludeMode::kNone
              ? -1
              : links.edge_id[i];
      if (exclude_ == ExcludeMode::kPair && u == links.source[i] &&
          v == links.destination[i]) {
        return true;
      }
      if (id < 0) continue;
      if (id == static_cast<int64_t>(e)) return true;
      if (exclude_ == ExcludeMode::kReverseId &&
          (id ^ 1) == static_cast<int64_t>(e) && v == links.source[i]) {
        return true;
      }
    }
    return false;
  }

  // Whether the type holds the links' edges, this way or the other.
  bool HoldsLinks(size_t type) const {
    const auto& other = graph_.edge_types[type];
    return &other == &type_ || (other.reverse != type_.reverse &&
                                (other.rel == "rev_" + type_.rel ||
                                 type_.rel == "rev_" + other.rel));
  }

  // The local numbers of a link's ends.
  std::pair<int32_t, int32_t> EndsOf(const OracleNodes& nodes,
                                     size_t link) const {
    const auto tree = static_cast<int64_t>(link);
    const LinkColumns& links = request_.links;
    return {
        static_cast<int32_t>(nodes.local.at({tree, links.source[link]})),
        static_cast<int32_t>(nodes.local.at({tree, links.destination[link]}))};
  }

  // Distances from a node, as if another were not there: by relaxing all edges
  // until nothing changes.
  static std::map<int32_t, int64_t> Distances(
      const std::vector<std::pair<int32_t, int32_t>>& edges, int32_t from,
      int32_t without) {
    std::map<int32_t, int64_t> distance = {{from, 0}};
    for (bool changed = true; changed;) {
      changed = false;
      for (auto [a, b] : edges) {
        for (int turn = 0; turn < 2; ++turn, std::swap(a, b)) {
          if (distance.count(a) == 0 || b == without) continue;
          const int64_t by_a = distance[a] + 1;
          if (distance.count(b) > 0 && distance[b] <= by_a) continue;
          distance[b] = by_a;
          changed = true;
        }
      }
    }
    return distance;
  }

  Tensors Enclose(const OracleNodes& nodes, OracleEdgeTypes& edge_types) const {
    std::vector<std::pair<int32_t, int32_t>> all;
    for (auto& [t, edges] : edge_types) {
      OracleEdges kept;
      for (size_t e = 0; e < edges.ids.size(); ++e) {
        const int32_t u = edges.src[e], v = edges.dst[e];
        const auto [s, d] =
            EndsOf(nodes, static_cast<size_t>(nodes.all[v].tree));
        const bool own = (u == s && v == d) || (u == d && v == s);
        if (own && HoldsLinks(t)) continue;
        kept.src.push_back(u);
        kept.dst.push_back(v);
        kept.ids.push_back(edges.ids[e]);
        all.emplace_back(u, v);
      }
      edges.src = kept.src;
      edges.dst = kept.dst;
      edges.ids = kept.ids;
    }
    std::vector<int64_t> z(nodes.all.size(), 0);
    for (size_t link = 0; link < n_; ++link) {
      const auto [s, d] = EndsOf(nodes, link);
      std::map<int32_t, int64_t> x = Distances(all, s, d);
      std::map<int32_t, int64_t> y = Distances(all, d, s);
      for (const auto& [node, away] : x) {
        if (y.count(node) == 0) continue;
        const int64_t sum = away + y[node];
        z[node] =
            1 + std::min(away, y[node]) + (sum / 2) * (sum / 2 + sum % 2 - 1);
      }
      z[s] = z[d] = 1;
    }
    return {{OfNodes("z", type_.src),
             MakeOracleTensor(DType::kInt64, {z.size()}, z)}};
  }

  struct Negative {
    size_t link = 0;
    int64_t source = 0, destination = 0;
  };

  void DrawNegatives() {
    if (negatives_.mode == NegativeMode::kNone) return;
    const PhiloxKey key = DefinedKey({.random_seed = options_.random_seed,
                                      .epoch = request_.key.epoch,
                                      .batch = request_.key.index,
                                      .purpose = 3,
                                      .name = type_.name()});
    const auto sources = static_cast<uint64_t>(NodesOf(graph_, type_.src));
    const auto destinations = static_cast<uint64_t>(NodesOf(graph_, type_.dst));
    const double wanted = static_cast<double>(n_) * negatives_.amount;
    for (uint32_t j = 0; static_cast<double>(j) < wanted; ++j) {
      Negative negative;
      negative.link = negatives_.mode == NegativeMode::kBinary
                          ? j % n_
                          : j / static_cast<size_t>(negatives_.amount);
      if (negatives_.given) {
        negative.destination = request_.links.negative[j];
        drawn_.push_back(negative);
        continue;
      }
      for (uint32_t tried = 0; tried < 64; ++tried) {
        const PhiloxBlock block = Philox4x32(key, {{tried, j, 0, 0}});
        const Words of_source = [&](uint32_t w) { return block.word[w]; };
        const Words of_destination = [&](uint32_t w) {
          return block.word[2 + w];
        };
        negative.source = NodeOf(of_source, sources, false);
        negative.destination = NodeOf(of_destination, destinations, true);
        const bool late = IsLate(negative);
        if (!late && !(negatives_.strict && IsEdge(negative))) break;
        if (tried == 63) ++exhausted_;
      }
      drawn_.push_back(negative);
    }
  }

  // Of `nodes` original ids: uniformly, or by the number of their edges.
  int64_t NodeOf(const Words& words, uint64_t nodes, bool is_destination) {
    if (negatives_.degree_power == 0) {
      return static_cast<int64_t>(DefinedBelow(words, 0, nodes, nodes > 65536));
    }
    std::vector<uint64_t> weights(nodes, 0);
    for (const auto& [u, v] : type_.edges) ++weights[is_destination ? v : u];
    uint64_t total = 0;
    for (uint64_t& weight : weights) {
      weight = DefinedWeight(weight);
      total += weight;
    }
    uint64_t at = DefinedBelow(words, 0, total, true);
    int64_t node = 0;
    while (at >= weights[node]) at -= weights[node++];
    return node;
  }

  // degree^power in 16 binary digits, the first of them after the point.
  uint64_t DefinedWeight(uint64_t degree) const {
    if (degree == 0) return 0;
    double rest = std::rint(negatives_.degree_power * 65536) / 65536;
    double root = static_cast<double>(degree), product = 1;
    if (rest == 1) return degree << 16;
    for (int digit = 0; digit < 16; ++digit) {
      root = std::sqrt(root);
      rest *= 2;
      if (rest < 1) continue;
      product *= root;
      rest -= 1;
    }
    return static_cast<uint64_t>(std::rint(product * 65536));
  }

  // Whether an end that was drawn is not there yet at its link's time.
  bool IsLate(const Negative& negative) const {
    if (options_.draws.time != TimeMode::kNode) return false;
    const int64_t bound = request_.input_time[negative.link];
    const auto late = [&](const std::string& name, int64_t id) {
      for (const auto& type : graph_.node_types) {
        if (type.name != name || type.time.empty()) continue;
        const int64_t time = type.time[static_cast<size_t>(id)];
        return options_.draws.strict ? time >= bound : time > bound;
      }
      return false;
    };
    return late(type_.dst, negative.destination) ||
           (negatives_.mode == NegativeMode::kBinary &&
            late(type_.src, negative.source));
  }

  bool IsEdge(const Negative& negative) const {
    const int64_t source = negatives_.mode == NegativeMode::kBinary
                               ? negative.source
                               : request_.links.source[negative.link];
    for (const auto& [u, v] : type_.edges) {
      if (u == source && v == negative.destination) return true;
    }
    return false;
  }

  void Start(const std::string& type, size_t link, int64_t id) {
    starts_.push_back({type, static_cast<int64_t>(link), id});
  }

  std::string OfLinks(const std::string& name) const {
    return graph_.heterogeneous
               ? name + "/" + type_.src + "__" + type_.rel + "__" + type_.dst
               : name;
  }
  std::string OfNodes(const std::string& name, const std::string& type) const {
    return graph_.heterogeneous ? name + "/" + type : name;
  }

  Tensors Own(const std::vector<int32_t>& local) {
    Tensors own;
    own[OfLinks("input_id")] =
        MakeOracleTensor(DType::kInt64, {n_}, request_.input_number);
    if (negatives_.on_exhausted == OnExhausted::kAccept) {
      own[OfLinks("num_exhausted")] =
          MakeOracleTensor<int64_t>(DType::kInt64, {1}, {exhausted_});
    }
    if (negatives_.mode == NegativeMode::kTriplet) {
      Triplets(local, &own);
    } else {
      Pairs(local, &own);
      Labels(&own);
      if (!request_.input_time.empty()) Times(&own);
    }
    return own;
  }

  void Triplets(const std::vector<int32_t>& local, Tensors* own) {
    const auto at = [&](size_t from, size_t count) {
      return std::vector<int32_t>(local.begin() + from,
                                  local.begin() + from + count);
    };
    const size_t m = drawn_.size();
    std::vector<uint64_t> shape = {n_};
    if (negatives_.amount != 1) shape.push_back(m / n_);
    (*own)[OfNodes("src_index", type_.src)] =
        MakeOracleTensor(DType::kInt32, {n_}, at(0, n_));
    (*own)[OfNodes("dst_pos_index", type_.dst)] =
        MakeOracleTensor(DType::kInt32, {n_}, at(n_, n_));
    (*own)[OfNodes("dst_neg_index", type_.dst)] =
        MakeOracleTensor(DType::kInt32, shape, at(2 * n_, m));
    if (request_.input_time.empty()) return;
    for (const std::string& end : {type_.src, type_.dst}) {
      (*own)[OfNodes("seed_time", end)] =
          MakeOracleTensor(DType::kInt64, {n_}, request_.input_time);
    }
  }

  void Pairs(const std::vector<int32_t>& local, Tensors* own) {
    const size_t m = drawn_.size();
    const bool both = negatives_.mode == NegativeMode::kBinary;
    std::vector<int32_t> sources, destinations;
    for (size_t i = 0; i < n_; ++i) {
      sources.push_back(local[i]);
      destinations.push_back(local[n_ + i]);
    }
    for (size_t j = 0; j < m; ++j) {
      sources.push_back(both ? local[2 * n_ + j] : local[drawn_[j].link]);
      destinations.push_back(local[2 * n_ + (both ? m : 0) + j]);
    }
    sources.insert(sources.end(), destinations.begin(), destinations.end());
    (*own)[OfLinks("edge_label_index")] =
        MakeOracleTensor(DType::kInt32, {2, n_ + m}, sources);
  }

  void Labels(Tensors* own) {
    const size_t m = drawn_.size();
    const LabelType type = request_.links.label_type;
    if (type == LabelType::kNone && negatives_.mode == NegativeMode::kNone) {
      return;
    }
    const DType dtype =
        type == LabelType::kInt64 ? DType::kInt64 : DType::kFloat32;
    std::vector<uint8_t> bytes = request_.links.label;
    if (type == LabelType::kNone) {
      for (size_t i = 0; i < n_; ++i) {
        for (const uint8_t byte : {0, 0, 0x80, 0x3f}) bytes.push_back(byte);
      }
    }
    bytes.resize(DTypeSize(dtype) * (n_ + m), 0);
    OracleTensor tensor = MakeOracleTensor(dtype, {n_ + m}, bytes);
    (*own)[OfLinks("edge_label")] = tensor;
  }

  void Times(Tensors* own) {
    std::vector<int64_t> times = request_.input_time;
    for (const Negative& negative : drawn_) {
      times.push_back(request_.input_time[negative.link]);
    }
    (*own)[OfLinks("edge_label_time")] =
        MakeOracleTensor(DType::kInt64, {times.size()}, times);
  }

  const MemoryGraphSpec& graph_;
  const MemoryGraphSpec::EdgeType& type_;
  const SpecOptions& options_;
  const NegativeSampling& negatives_;
  const ExcludeMode exclude_;
  const bool enclosing_;
  const BatchRequest& request_;
  const size_t n_;
  std::vector<Negative> drawn_;
  int64_t exhausted_ = 0;
  std::vector<OracleStart> starts_;
};

}  // namespace

int64_t NodesOf(const MemoryGraphSpec& graph, const std::string& name) {
  for (const auto& type : graph.node_types) {
    if (type.name == name) return type.num_nodes;
  }
  return 0;
}

std::string DefinedLinkDigest(const MemoryGraphSpec& graph,
                              const MemoryGraphSpec::EdgeType& type,
                              const SpecOptions& options,
                              const NegativeSampling& negatives,
                              ExcludeMode exclude, bool enclosing,
                              const BatchRequest& request) {
  return DefinedLinks(graph, type, options, negatives, exclude, enclosing,
                      request)
      .Digest();
}

}  // namespace tributary
