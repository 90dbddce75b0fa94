#include "trainer_client/torch/batch_tensors/sampled_layers.h"

#include <limits>
#include <numeric>
#include <utility>

#include "absl/strings/str_cat.h"
#include "common/text/status.h"

namespace tributary {
namespace {

// Prefix sums: the first is 0, the last the total.
using Offsets = std::vector<int64_t>;

absl::StatusOr<Offsets> OffsetsOf(absl::Span<const int64_t> counts) {
  Offsets offsets(counts.size() + 1, 0);
  for (size_t i = 0; i < counts.size(); ++i) {
    if (counts[i] < 0 ||
        counts[i] > std::numeric_limits<int32_t>::max() - offsets[i]) {
      return absl::InvalidArgumentError(absl::StrCat(
          "a hop's count is ", counts[i], "; allowed: 0 to 2^31 - 1 in all"));
    }
    offsets[i + 1] = offsets[i] + counts[i];
  }
  return offsets;
}

// The layers of one batch in the making.
class LayerMaker {
 public:
  explicit LayerMaker(const SampledHops& hops) : hops_(hops) {}

  absl::StatusOr<SampledLayers> Make() {
    for (absl::Span<const int64_t> counts : hops_.nodes) {
      const std::vector<int64_t> none(hops_.hops + 1, 0);
      ASSIGN_OR_RETURN(
          Offsets nodes,
          OffsetsOf(counts.empty() ? absl::MakeConstSpan(none) : counts));
      if (nodes.size() != hops_.hops + 2) return WrongHops(counts.size(), 1);
      nodes_.push_back(std::move(nodes));
    }
    for (size_t layer = 0; layer < hops_.hops; ++layer) AddLayer(layer);
    for (size_t r = 0; r < hops_.relations.size(); ++r) {
      RETURN_IF_ERROR(AddRelation(r));
    }
    return std::move(made_);
  }

 private:
  // The last hop that the layer reads.
  size_t HopOf(size_t layer) const { return hops_.hops - 1 - layer; }

  absl::Status WrongHops(size_t counts, size_t more) const {
    return absl::InvalidArgumentError(
        absl::StrCat("a batch of ", hops_.hops, " hops has counts of ", counts,
                     "; allowed: ", hops_.hops + more));
  }

  void AddLayer(size_t layer) {
    SampledLayer made;
    for (const Offsets& nodes : nodes_) {
      made.num_src.push_back(nodes[HopOf(layer) + 2]);
      made.num_dst.push_back(nodes[HopOf(layer) + 1]);
    }
    made_.layers.push_back(std::move(made));
  }

  absl::Status AddRelation(size_t r) {
    const SampledRelation& relation = hops_.relations[r];
    ASSIGN_OR_RETURN(const Offsets edges, OffsetsOf(relation.edges));
    if (relation.edges.size() != hops_.hops) {
      return WrongHops(relation.edges.size(), 0);
    }
    if (relation.src.size() != relation.dst.size() ||
        edges.back() != static_cast<int64_t>(relation.src.size())) {
      return absl::InvalidArgumentError(
          absl::StrCat("edge counts add up to ", edges.back(), "; there are ",
                       relation.src.size(), " sources and ",
                       relation.dst.size(), " destinations"));
    }
    if (edges.back() == 0) return absl::OkStatus();
    ASSIGN_OR_RETURN(const bool shared, CheckEdges(relation, edges));
    if (shared) {
      AddShared(r, edges);
    } else {
      AddForEachLayer(r, edges);
    }
    return absl::OkStatus();
  }

  // Checks that the edges of each hop lie within its nodes. Returns whether all
  // edges of a node are of one hop: then each layer reads a prefix of one CSR.
  absl::StatusOr<bool> CheckEdges(const SampledRelation& relation,
                                  const Offsets& edges) const {
    const Offsets& src = nodes_[relation.src_type];
    const Offsets& dst = nodes_[relation.dst_type];
    bool shared = !hops_.expand_all;
    for (size_t hop = 0; hop < hops_.hops; ++hop) {
      const int64_t num_src = src[hop + 2];
      const int64_t num_dst = dst[hop + 1];
      for (int64_t e = edges[hop]; e < edges[hop + 1]; ++e) {
        const int32_t from = relation.src[e];
        const int32_t to = relation.dst[e];
        if (from < 0 || from >= num_src || to < 0 || to >= num_dst) {
          return absl::InvalidArgumentError(
              absl::StrCat("edge ", e, " of hop ", hop, " is ", from, " -> ",
                           to, ", allowed are ", num_src, " sources and ",
                           num_dst, " destinations"));
        }
        shared = shared && to >= dst[hop];
      }
    }
    return shared;
  }

  // Groups the edges [from, to) by destination.
  EdgeCsr Group(size_t r, int64_t from, int64_t to, int64_t num_dst) const {
    const SampledRelation& relation = hops_.relations[r];
    EdgeCsr csr{.relation = r};
    csr.indptr.assign(num_dst + 1, 0);
    csr.src.resize(to - from);
    csr.edge.resize(to - from);
    for (int64_t e = from; e < to; ++e) ++csr.indptr[relation.dst[e] + 1];
    std::partial_sum(csr.indptr.begin(), csr.indptr.end(), csr.indptr.begin());
    std::vector<int32_t> next(csr.indptr.begin(), csr.indptr.end() - 1);
    for (int64_t e = from; e < to; ++e) {
      const int32_t at = next[relation.dst[e]]++;
      csr.src[at] = relation.src[e];
      csr.edge[at] = static_cast<int32_t>(e);
    }
    return csr;
  }

  void AddPrefix(size_t layer, size_t r, size_t csr) {
    const SampledRelation& relation = hops_.relations[r];
    SampledLayer& to = made_.layers[layer];
    const int64_t num_dst = to.num_dst[relation.dst_type];
    const int64_t num_edges = made_.csrs[csr].indptr[num_dst];
    if (num_edges == 0) return;
    to.relations.push_back(
        {csr, to.num_src[relation.src_type], num_dst, num_edges});
  }

  void AddShared(size_t r, const Offsets& edges) {
    const SampledRelation& relation = hops_.relations[r];
    made_.csrs.push_back(
        Group(r, 0, edges.back(), nodes_[relation.dst_type][hops_.hops]));
    for (size_t layer = 0; layer < hops_.hops; ++layer) {
      AddPrefix(layer, r, made_.csrs.size() - 1);
    }
  }

  void AddForEachLayer(size_t r, const Offsets& edges) {
    for (size_t layer = 0; layer < hops_.hops; ++layer) {
      const size_t hop = HopOf(layer);
      const int64_t from = hops_.expand_all ? edges[hop] : 0;
      if (from == edges[hop + 1]) continue;
      made_.csrs.push_back(
          Group(r, from, edges[hop + 1],
                made_.layers[layer].num_dst[hops_.relations[r].dst_type]));
      AddPrefix(layer, r, made_.csrs.size() - 1);
    }
  }

  const SampledHops& hops_;
  std::vector<Offsets> nodes_;  // by node type
  SampledLayers made_;
};

}  // namespace

absl::StatusOr<SampledLayers> MakeLayers(const SampledHops& hops) {
  return LayerMaker(hops).Make();
}

}  // namespace tributary
