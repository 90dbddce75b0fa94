#include "common/session/kinds/neighbor_spec.h"

#include <algorithm>
#include <vector>

#include "absl/strings/str_join.h"
#include "common/proto/session.pb.h"
#include "common/session/refuse.h"
#include "common/text/status.h"

namespace tributary {
namespace {

absl::Status CheckFanoutTypes(const SpecGraph& graph,
                              const NumNeighbors& neighbors) {
  for (const auto& [type, fanouts] : neighbors.by_edge_type) {
    if (std::find(graph.edge_types.begin(), graph.edge_types.end(), type) ==
        graph.edge_types.end()) {
      return Refuse("num_neighbors: edge type '", type, "' is not in graph '",
                    graph.name,
                    "'; allowed: ", absl::StrJoin(graph.edge_types, " "));
    }
  }
  if (!graph.edge_types.empty()) return absl::OkStatus();
  return Refuse("graph '", graph.name, "' has no edge types to sample");
}

absl::Status FillFanouts(const SpecGraph& graph, const SpecOptions& options,
                         v1::NeighborSampling* neighbor) {
  const NumNeighbors& neighbors = options.num_neighbors;
  RETURN_IF_ERROR(CheckNumNeighbors(neighbors));
  RETURN_IF_ERROR(CheckFanoutTypes(graph, neighbors));
  for (const std::string& type : graph.edge_types) {
    auto named = neighbors.by_edge_type.find(type);
    std::vector<int32_t> fanouts;
    if (named != neighbors.by_edge_type.end()) {
      fanouts = named->second;
    } else if (options.draws.edge_dir != EdgeDirection::kBoth ||
               graph.reverses.count(type) == 0) {
      fanouts = neighbors.by_default;
    }
    fanouts.resize(neighbors.hops(), 0);
    v1::EdgeTypeFanout* entry = neighbor->add_fanouts();
    entry->set_edge_type(type);
    entry->mutable_per_hop()->Add(fanouts.begin(), fanouts.end());
  }
  neighbor->set_replace(options.replace);
  neighbor->set_expand(options.expand == ExpandMode::kNew ? v1::EXPAND_NEW
                                                          : v1::EXPAND_ALL);
  return absl::OkStatus();
}

}  // namespace

absl::Status FillNeighbors(const SpecGraph& graph, const SpecOptions& options,
                           v1::NeighborSampling* neighbor,
                           v1::SessionSpec* spec) {
  RETURN_IF_ERROR(FillFanouts(graph, options, neighbor));
  FillDraws(options.draws, neighbor, spec);
  FillSubgraph(options.subgraph, neighbor);
  spec->set_batch_size(options.batch_size);
  RETURN_IF_ERROR(CheckDraws(*spec));
  return CheckSubgraph(*spec);
}

absl::StatusOr<std::string> BuildNeighborSpec(const SpecGraph& graph,
                                              const SpecOptions& options) {
  return BuildSpecOfKind(graph, options, [&](v1::SessionSpec* spec) {
    return FillNeighbors(graph, options, spec->mutable_neighbor(), spec);
  });
}

}  // namespace tributary
