#include "tests/kinds/defined_links.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>
#include <vector>

#include "sampler_server/engine/testing/definition.h"
#include "sampler_server/engine/testing/expected_batch.h"
#include "tests/kinds/defined_enclosing.h"

namespace tributary {
namespace {

// The links of one supervision type. `request` is the batch's, without the
// links of other types.
class DefinedLinks {
 public:
  DefinedLinks(const MemoryGraphSpec& graph,
               const MemoryGraphSpec::EdgeType& type,
               const SpecOptions& options, const NegativeSampling& negatives,
               ExcludeMode exclude, BatchRequest request, size_t first_tree,
               bool one_of_several)
      : graph_(graph),
        type_(type),
        options_(options),
        negatives_(negatives),
        exclude_(exclude),
        request_(std::move(request)),
        n_(request_.links.size()),
        first_tree_(first_tree),
        one_of_several_(one_of_several) {}

  using Tensors = ExpectedTensors;

  // Returns where hops begin. Must be called once, before the other methods.
  std::vector<HopStart> Starts() {
    DrawNegatives();
    const auto& links = request_.links;
    for (const std::string& end : {type_.src, type_.dst}) {
      starts_.push_back({end, 0, -1});  // also where there are no links
    }
    for (size_t i = 0; i < n_; ++i) Start(type_.src, i, links.source[i]);
    for (size_t i = 0; i < n_; ++i) Start(type_.dst, i, links.destination[i]);
    if (negatives_.mode == NegativeMode::kBinary) {
      for (const Negative& n : drawn_) Start(type_.src, n.link, n.source);
    }
    for (const Negative& n : drawn_) Start(type_.dst, n.link, n.destination);
    return starts_;
  }
  size_t num_numbered() const { return starts_.size() - 2; }

  bool Excludes(size_t type, size_t e) const {
    return &graph_.edge_types[type] == &type_ && IsExcluded(e);
  }

  // Returns the tensors. `local` has the local numbers of Starts().
  Tensors Own(const std::vector<int32_t>& local) {
    Tensors own;
    own[OfLinks("input_id")] =
        MakeExpectedTensor(DType::kInt64, {n_}, request_.input_number);
    if (negatives_.on_exhausted == OnExhausted::kAccept) {
      own[OfLinks("num_exhausted")] =
          MakeExpectedTensor<int64_t>(DType::kInt64, {1}, {exhausted_});
    }
    if (negatives_.mode == NegativeMode::kTriplet) {
      Triplets(local, &own);
    } else {
      Pairs(local, &own);
      Labels(&own);
      if (options_.draws.time != TimeMode::kNone) Times(&own);
    }
    return own;
  }

 private:
  // Returns whether edge `e` of the links' type is one of the links.
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

  // Draws one of `nodes` original ids, uniformly or by degree.
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

  // Returns degree^power in 16 binary digits, the first of them after the
  // point.
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

  // Returns whether a drawn end does not exist yet at its link's time.
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
    starts_.push_back({type, static_cast<int64_t>(first_tree_ + link), id});
  }

  std::string OfLinks(const std::string& name) const {
    return graph_.heterogeneous
               ? name + "/" + type_.src + "__" + type_.rel + "__" + type_.dst
               : name;
  }
  std::string OfNodes(const std::string& name, const std::string& type) const {
    return graph_.heterogeneous ? name + "/" + type : name;
  }
  std::string OfEnds(const std::string& name, const std::string& type) const {
    return one_of_several_ ? OfLinks(name) : OfNodes(name, type);
  }

  void Triplets(const std::vector<int32_t>& local, Tensors* own) {
    const auto at = [&](size_t from, size_t count) {
      return std::vector<int32_t>(local.begin() + from,
                                  local.begin() + from + count);
    };
    const size_t m = drawn_.size();
    std::vector<uint64_t> shape = {n_};
    if (negatives_.amount != 1) {
      shape.push_back(static_cast<uint64_t>(negatives_.amount));
    }
    (*own)[OfEnds("src_index", type_.src)] =
        MakeExpectedTensor(DType::kInt32, {n_}, at(0, n_));
    (*own)[OfEnds("dst_pos_index", type_.dst)] =
        MakeExpectedTensor(DType::kInt32, {n_}, at(n_, n_));
    (*own)[OfEnds("dst_neg_index", type_.dst)] =
        MakeExpectedTensor(DType::kInt32, shape, at(2 * n_, m));
    if (options_.draws.time == TimeMode::kNone) return;
    for (const std::string& end : {type_.src, type_.dst}) {
      (*own)[OfEnds("seed_time", end)] =
          MakeExpectedTensor(DType::kInt64, {n_}, request_.input_time);
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
        MakeExpectedTensor(DType::kInt32, {2, n_ + m}, sources);
  }

  void Labels(Tensors* own) {
    const size_t m = drawn_.size();
    const LabelType type = options_.links->label;
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
    ExpectedTensor tensor = MakeExpectedTensor(dtype, {n_ + m}, bytes);
    (*own)[OfLinks("edge_label")] = tensor;
  }

  void Times(Tensors* own) {
    std::vector<int64_t> times = request_.input_time;
    for (const Negative& negative : drawn_) {
      times.push_back(request_.input_time[negative.link]);
    }
    (*own)[OfLinks("edge_label_time")] =
        MakeExpectedTensor(DType::kInt64, {times.size()}, times);
  }

  const MemoryGraphSpec& graph_;
  const MemoryGraphSpec::EdgeType& type_;
  const SpecOptions& options_;
  const NegativeSampling& negatives_;
  const ExcludeMode exclude_;
  const BatchRequest request_;
  const size_t n_, first_tree_;
  const bool one_of_several_;
  std::vector<Negative> drawn_;
  int64_t exhausted_ = 0;
  std::vector<HopStart> starts_;
};

// Returns the request with only the inputs numbered [from, to) in the list,
// renumbered from 0.
BatchRequest OfNumbers(const BatchRequest& request, int64_t from, int64_t to) {
  BatchRequest left;
  left.key = request.key;
  std::vector<uint64_t> places;
  for (size_t i = 0; i < request.input_number.size(); ++i) {
    const int64_t number = request.input_number[i];
    if (number < from || number >= to) continue;
    places.push_back(i);
    left.input_number.push_back(number - from);
    if (!request.input_time.empty()) {
      left.input_time.push_back(request.input_time[i]);
    }
  }
  left.links = request.links.Take(places);
  return left;
}

}  // namespace

int64_t NodesOf(const MemoryGraphSpec& graph, const std::string& name) {
  for (const auto& type : graph.node_types) {
    if (type.name == name) return type.num_nodes;
  }
  return 0;
}

std::string DefinedLinkDigest(const MemoryGraphSpec& graph,
                              const std::vector<DefinedLinkList>& lists,
                              const SpecOptions& options,
                              const NegativeSampling& negatives,
                              ExcludeMode exclude, bool enclosing,
                              const BatchRequest& request) {
  std::vector<DefinedLinks> parts;
  std::vector<HopStart> starts;
  int64_t first = 0;
  size_t tree = 0;
  for (const DefinedLinkList& list : lists) {
    BatchRequest its = OfNumbers(request, first, first + list.count);
    const size_t links = its.links.size();
    parts.emplace_back(graph, *list.type, options, negatives, exclude,
                       std::move(its), tree, lists.size() > 1);
    for (const HopStart& start : parts.back().Starts()) {
      starts.push_back(start);
    }
    first += list.count;
    tree += links;
  }
  const auto own = [&](const std::vector<int32_t>& local) {
    DefinedLinks::Tensors tensors;
    auto from = local.begin();
    for (DefinedLinks& part : parts) {
      const auto to = from + static_cast<ptrdiff_t>(part.num_numbered());
      tensors.merge(part.Own({from, to}));
      from = to;
    }
    return tensors;
  };
  const auto excludes = [&](size_t type, size_t e) {
    return std::any_of(
        parts.begin(), parts.end(),
        [&](const DefinedLinks& part) { return part.Excludes(type, e); });
  };
  SubgraphFinisher after;
  if (enclosing) {
    after = [&](const ExpectedNodeTypes& nodes, ExpectedEdgeTypes& edges) {
      return EncloseDefined(graph, *lists[0].type, request.links, nodes, edges);
    };
  }
  return ExpectedDigestFrom(graph, options, request.key.epoch,
                            request.key.index, starts, request.input_time, own,
                            excludes, after);
}

}  // namespace tributary
