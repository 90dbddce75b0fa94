#include "common/session/kinds/walk_spec.h"

#include <algorithm>
#include <cmath>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "common/proto/session.pb.h"
#include "common/session/refuse.h"
#include "common/session/saturating.h"
#include "common/text/status.h"

namespace tributary {
namespace {

constexpr double kWhole = 4294967296.0;  // 2^32

absl::Status CheckCounts(const WalkOptions& walk, uint64_t batch_size) {
  if (walk.walk_length < 1 || walk.walk_length > kMaxWalkLength) {
    return Refuse("walk_length: ", walk.walk_length, "; allowed: 1 to ",
                  kMaxWalkLength);
  }
  if (walk.walks_per_node < 1 || walk.walks_per_node > kMaxWalksPerNode) {
    return Refuse("walks_per_node: ", walk.walks_per_node, "; allowed: 1 to ",
                  kMaxWalksPerNode);
  }
  const uint64_t nodes = uint64_t{walk.walk_length + 1} * walk.walks_per_node;
  if (batch_size <= INT32_MAX / nodes) return absl::OkStatus();
  return Refuse("batch_size: ", batch_size, " inputs with ", nodes,
                " nodes on the walks of each; allowed: up to ", INT32_MAX,
                " nodes a batch");
}

absl::Status CheckShares(const WalkOptions& walk) {
  if (!(walk.restart_prob >= 0 && walk.restart_prob <= 1)) {
    return Refuse("restart_prob: ", walk.restart_prob, "; allowed: 0 to 1");
  }
  for (const auto& [name, value] : {std::pair{"p", walk.p}, {"q", walk.q}}) {
    if (value >= 1 / kMaxWalkBias && value <= kMaxWalkBias) continue;
    return Refuse(name, ": ", value, "; allowed: ", 1 / kMaxWalkBias, " to ",
                  kMaxWalkBias);
  }
  return absl::OkStatus();
}

absl::StatusOr<std::vector<std::string>> ResolveSteps(
    const SpecGraph& graph, const std::vector<std::string>& metapath) {
  const std::string allowed = absl::StrJoin(graph.edge_types, " ");
  if (metapath.empty()) {
    if (graph.edge_types.size() == 1) return graph.edge_types;
    return Refuse("metapath: graph '", graph.name, "' has ",
                  graph.edge_types.size(),
                  " edge types; name those of the steps: ", allowed);
  }
  if (metapath.size() > kMaxWalkLength) {
    return Refuse("metapath: ", metapath.size(), " edge types; allowed: up to ",
                  kMaxWalkLength);
  }
  for (const std::string& type : metapath) {
    if (std::find(graph.edge_types.begin(), graph.edge_types.end(), type) ==
        graph.edge_types.end()) {
      return Refuse("metapath: edge type '", type, "' is not in graph '",
                    graph.name, "'; allowed: ", allowed);
    }
  }
  return metapath;
}

uint64_t ShareOf(double probability) {
  return static_cast<uint64_t>(std::nearbyint(probability * kWhole));
}

void FillSecondOrder(const WalkOptions& walk, v1::WalkSampling* message) {
  if (walk.p == 1 && walk.q == 1) return;
  const double back = 1 / walk.p, far = 1 / walk.q;
  const double most = std::max({back, 1.0, far});
  v1::SecondOrder* second = message->mutable_second_order();
  second->set_back(ShareOf(back / most));
  second->set_near(ShareOf(1 / most));
  second->set_far(ShareOf(far / most));
}

}  // namespace

absl::StatusOr<std::string> BuildWalkSpec(const SpecGraph& graph,
                                          const SpecOptions& common,
                                          const WalkOptions& walk) {
  RETURN_IF_ERROR(CheckCounts(walk, common.batch_size));
  RETURN_IF_ERROR(CheckShares(walk));
  ASSIGN_OR_RETURN(const std::vector<std::string> steps,
                   ResolveSteps(graph, walk.metapath));
  return BuildSpecOfKind(graph, common, [&](v1::SessionSpec* spec) {
    v1::WalkSampling* message = spec->mutable_walk();
    message->set_length(walk.walk_length);
    message->set_walks_per_input(walk.walks_per_node);
    for (const std::string& step : steps) message->add_step_types(step);
    message->set_restart(ShareOf(walk.restart_prob));
    message->set_restart_ends(walk.restart_ends && walk.restart_prob > 0);
    FillSecondOrder(walk, message);
    return absl::OkStatus();
  });
}

uint64_t WalkBatchBytesBound(const WalkBoundInputs& in) {
  constexpr uint64_t kPerTensor = 256;  // its entry, padding, and a short name
  const uint64_t walks = SaturatingMultiply(in.num_inputs, in.walks_per_node);
  const uint64_t visits =
      SaturatingMultiply(walks, uint64_t{in.walk_length} + 1);
  // walks and walk_index; input_id and seed_index; batch_size, the header.
  uint64_t bytes = SaturatingAdd(SaturatingMultiply(visits, 8 + 4),
                                 SaturatingMultiply(in.num_inputs, 8 + 4));
  bytes = SaturatingAdd(bytes, 5 * kPerTensor + 256);
  for (const WalkBoundInputs::NodeType& type : in.node_types) {
    const uint64_t nodes = std::min(type.num_nodes, visits);
    bytes = SaturatingAdd(
        bytes, SaturatingMultiply(nodes, SaturatingAdd(8, type.row_bytes)));
    bytes = SaturatingAdd(bytes, 6 * (kPerTensor + 2 * type.name.size()));
  }
  return bytes;
}

}  // namespace tributary
