#include "cli/sample/sample_kinds.h"

#include <algorithm>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "cli/command/command.h"

namespace tributary {
namespace {

struct KindOption {
  absl::string_view option;
  bool given = false;
  std::vector<absl::string_view> kinds;
};

std::vector<KindOption> OptionsByKind(const SampleArguments& a) {
  const SampleArguments none;
  const DrawFlags &d = a.draws, &no = none.draws;
  return {
      {"--draw", d.draw != no.draw, {"node", "link"}},
      {"--layer-dependency", d.layer_dependency, {"node", "link"}},
      {"--time", d.time != no.time, {"node", "link"}},
      {"--temporal-strategy",
       d.temporal_strategy != no.temporal_strategy,
       {"node", "link"}},
      {"--strict", d.strict, {"node", "link"}},
      {"--input-time", !d.input_time.empty(), {"node", "link"}},
      {"--disjoint", d.disjoint, {"node", "link"}},
      {"--edge-mask", d.edge_mask.has_value(), {"node", "link"}},
      {"--edge-predicate", d.edge_predicate.has_value(), {"node", "link"}},
      {"--edge-dir", d.edge_dir != no.edge_dir, {"node", "link"}},
      {"--num-neighbors", !a.num_neighbors.empty(), {"node", "link"}},
      {"--replace", a.replace, {"node", "link"}},
      {"--expand", a.expand != none.expand, {"node", "link"}},
      {"--subgraph-type", a.subgraph.type != none.subgraph.type, {"node"}},
      {"--max-scanned-edges",
       a.subgraph.max_scanned_edges != none.subgraph.max_scanned_edges,
       {"node"}},
      {"--walk-length", a.walk_length != none.walk_length, {"walk"}},
      {"--walks-per-node", a.walks_per_node != none.walks_per_node, {"walk"}},
      {"--metapath", a.metapath != none.metapath, {"walk"}},
      {"--restart-prob", a.restart_prob != none.restart_prob, {"walk"}},
      {"--restart-ends", a.restart_ends, {"walk"}},
      {"--p", a.p != none.p, {"walk"}},
      {"--q", a.q != none.q, {"walk"}},
      {"--top-k", a.top_k != none.top_k, {"ppr"}},
      {"--alpha", a.alpha != none.alpha, {"ppr"}},
      {"--epsilon", a.epsilon != none.epsilon, {"ppr"}},
      {"--edge-type", a.edge_type != none.edge_type, {"ppr", "layerwise"}},
      {"--nodes-per-layer", !a.nodes_per_layer.empty(), {"layerwise"}},
      {"--importance", a.importance != none.importance, {"layerwise"}},
      {"--input-edges", !a.input_edges.empty(), {"link"}},
      {"--neg-sampling", a.neg_sampling != none.neg_sampling, {"link"}},
      {"--neg-amount", !a.neg_amount.empty(), {"link"}},
      {"--neg-degree-power", !a.neg_degree_power.empty(), {"link"}},
      {"--neg-destination", !a.neg_destination.empty(), {"link"}},
      {"--exclude", a.exclude != none.exclude, {"link"}},
      {"--neg-strict", a.neg_strict, {"link"}},
      {"--enclosing", a.enclosing, {"link"}},
      {"--on-exhausted", a.on_exhausted != none.on_exhausted, {"link"}},
  };
}

}  // namespace

absl::Status CheckKindOptions(const SampleArguments& arguments,
                              absl::string_view kind) {
  for (const KindOption& option : OptionsByKind(arguments)) {
    const auto& kinds = option.kinds;
    if (!option.given ||
        std::find(kinds.begin(), kinds.end(), kind) != kinds.end()) {
      continue;
    }
    const std::string names = absl::StrJoin(kinds, ", ");
    return UsageError(absl::StrCat(option.option, " goes with --kind ", names,
                                   " only\nallowed: leave it out, or --kind ",
                                   names));
  }
  return absl::OkStatus();
}

}  // namespace tributary
