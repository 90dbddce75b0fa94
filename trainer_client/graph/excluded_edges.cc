#include "trainer_client/graph/excluded_edges.h"

#include <algorithm>
#include <set>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "common/random/permutation.h"
#include "common/random/purpose_key.h"
#include "common/session/limits.h"
#include "common/text/status.h"
#include "trainer_client/graph/partition_book.h"

namespace tributary {
namespace {

absl::Status CheckOptions(const std::map<std::string, int32_t>& fanouts,
                          const SampleOptions& options) {
  const bool draws =
      std::any_of(fanouts.begin(), fanouts.end(),
                  [](const auto& fanout) { return fanout.second > 0; });
  if (options.edge_dir == EdgeDirection::kIn && options.prob.empty() &&
      !(draws && options.replace)) {
    return absl::OkStatus();
  }
  return absl::InvalidArgumentError(
      "SampleOptions.exclude_edges is given; allowed with it: edge_dir in, no "
      "prob, and no replace unless the fanout is -1");
}

// One edge type's excluded edges.
struct Excluded {
  std::set<int64_t> ids;
  std::map<int64_t, int32_t> of_node;  // how many end at each node
};

absl::StatusOr<Excluded> ExcludedOf(const GraphLookups& lookups, int type,
                                    const std::vector<int64_t>& ids) {
  Excluded excluded;
  excluded.ids.insert(ids.begin(), ids.end());
  const std::vector<int64_t> distinct(excluded.ids.begin(), excluded.ids.end());
  ASSIGN_OR_RETURN(const EdgeEnds ends, lookups.FindEdges(type, distinct));
  for (int64_t node : ends.dst) ++excluded.of_node[node];
  return excluded;
}

// Draws the edges of one type.
class TypeSampler {
 public:
  TypeSampler(const EdgeTypeSchema& type, int32_t fanout,
              const SampleOptions& options, const SampleFunction& sample)
      : type_(type), fanout_(fanout), options_(options), sample_(sample) {}

  // `nodes`: of the destination type. Appends to `kept`.
  absl::Status Sample(const std::set<int64_t>& nodes, const Excluded& excluded,
                      EdgeList* kept) const {
    std::map<int32_t, std::vector<int64_t>> by_excluded;
    for (int64_t node : nodes) {
      const auto some = excluded.of_node.find(node);
      by_excluded[some == excluded.of_node.end() ? 0 : some->second].push_back(
          node);
    }
    for (const auto& [m, group] : by_excluded) {
      const int64_t more = std::min<int64_t>(int64_t{fanout_} + m, kMaxFanout);
      ASSIGN_OR_RETURN(
          const EdgesByType drawn,
          sample_(
              {{type_.dst, group}},
              {{type_.name(), fanout_ < 0 ? -1 : static_cast<int32_t>(more)}},
              options_));
      const auto list = drawn.find(type_.name());
      if (list != drawn.end()) KeepSome(list->second, excluded, kept);
    }
    return absl::OkStatus();
  }

 private:
  // Appends at most `fanout_` edges of each node that are not excluded.
  void KeepSome(const EdgeList& drawn, const Excluded& excluded,
                EdgeList* kept) const {
    std::map<int64_t, std::vector<size_t>> of_node;  // indices of edges
    for (size_t i = 0; i < drawn.size(); ++i) {
      if (excluded.ids.count(drawn.e_id[i]) > 0) continue;
      of_node[drawn.dst[i]].push_back(i);
    }
    for (auto& [node, edges] : of_node) {
      if (fanout_ >= 0 && edges.size() > static_cast<size_t>(fanout_)) {
        edges = FirstOf(edges, node);
      }
      for (size_t i : edges) {
        kept->src.push_back(drawn.src[i]);
        kept->dst.push_back(drawn.dst[i]);
        kept->e_id.push_back(drawn.e_id[i]);
      }
    }
  }

  // Returns `fanout_` of a node's edges by its keyed order, ascending.
  std::vector<size_t> FirstOf(const std::vector<size_t>& edges,
                              int64_t node) const {
    const auto order = Permutation::Keyed(
        edges.size(),
        MakePurposeKey(absl::StrCat("exclude,", type_.name(), ",",
                                    options_.key.index, ",", node),
                       options_.key.random_seed));
    std::vector<size_t> first;
    for (int32_t k = 0; k < fanout_; ++k) first.push_back(edges[order[k]]);
    std::sort(first.begin(), first.end());
    return first;
  }

  const EdgeTypeSchema& type_;
  const int32_t fanout_;
  const SampleOptions& options_;
  const SampleFunction& sample_;
};

}  // namespace

absl::StatusOr<EdgesByType> SampleWithoutEdges(
    const GraphLookups& lookups, const NodesByType& nodes,
    const std::map<std::string, int32_t>& fanouts, const SampleOptions& options,
    const SampleFunction& sample) {
  RETURN_IF_ERROR(CheckOptions(fanouts, options));
  const GraphSchema& schema = lookups.schema();
  SampleOptions draw = options;
  draw.exclude_edges.clear();
  std::map<std::string, int32_t> others = fanouts;
  EdgesByType edges;
  for (const auto& [asked, ids] : options.exclude_edges) {
    ASSIGN_OR_RETURN(const int t, ResolveEdgeType(schema, asked));
    const EdgeTypeSchema& type = schema.edge_types[t];
    const auto fanout = others.extract(type.name());
    if (fanout.empty()) continue;
    ASSIGN_OR_RETURN(const Excluded excluded, ExcludedOf(lookups, t, ids));
    std::set<int64_t> ends;
    for (const auto& [node_type, list] : nodes) {
      ASSIGN_OR_RETURN(const int found, ResolveNodeType(schema, node_type));
      if (found == type.dst_type) ends.insert(list.begin(), list.end());
    }
    EdgeList kept;
    RETURN_IF_ERROR(TypeSampler(type, fanout.mapped(), draw, sample)
                        .Sample(ends, excluded, &kept));
    if (kept.size() > 0) edges[type.name()] = std::move(kept);
  }
  if (others.empty()) return edges;
  ASSIGN_OR_RETURN(EdgesByType rest, sample(nodes, others, draw));
  edges.merge(rest);
  return edges;
}

}  // namespace tributary
