#include "common/session/subgraph_options.h"

#include "common/proto/session.pb.h"
#include "common/session/refuse.h"
#include "common/text/status.h"

namespace tributary {
namespace {

absl::Status CheckScanned(const v1::NeighborSampling& neighbor) {
  const uint64_t most = neighbor.max_scanned_edges();
  if (neighbor.subgraph_type() != v1::SUBGRAPH_TYPE_INDUCED) {
    if (most == 0) return absl::OkStatus();
    return Refuse("max_scanned_edges: ", most,
                  ", but no edges are looked for; allowed: with subgraph_type "
                  "induced");
  }
  if (most >= 1 && most <= kMaxScannedEdges) return absl::OkStatus();
  return Refuse("max_scanned_edges: ", most, "; allowed: 1 to ",
                kMaxScannedEdges);
}

}  // namespace

void FillSubgraph(const SubgraphOptions& options,
                  v1::NeighborSampling* neighbor) {
  neighbor->set_subgraph_type(static_cast<v1::SubgraphType>(options.type));
  if (options.type == SubgraphType::kInduced) {
    neighbor->set_max_scanned_edges(options.max_scanned_edges);
  }
}

absl::Status CheckSubgraph(const v1::NeighborSampling& neighbor) {
  if (!v1::SubgraphType_IsValid(neighbor.subgraph_type())) {
    return Refuse("subgraph_type: ", static_cast<int>(neighbor.subgraph_type()),
                  "; allowed: directional (0), bidirectional (1), induced (2)");
  }
  RETURN_IF_ERROR(CheckScanned(neighbor));
  if (neighbor.subgraph_type() == v1::SUBGRAPH_TYPE_DIRECTIONAL) {
    return absl::OkStatus();
  }
  if (neighbor.draw() == v1::DRAW_LABOR) {
    return Refuse(
        "subgraph_type: not directional with draw labor, whose weights are of "
        "the edges that were drawn; allowed: directional");
  }
  if (neighbor.edge_dir() != v1::EDGE_DIRECTION_IN) {
    return Refuse(
        "subgraph_type: not directional with edge_dir out or both; allowed: "
        "directional, or edge_dir in");
  }
  if (neighbor.subgraph_type() == v1::SUBGRAPH_TYPE_INDUCED &&
      neighbor.edge_predicates_size() > 0) {
    return Refuse(
        "subgraph_type: induced with edge predicates, which its edges need not "
        "meet; allowed: directional, bidirectional");
  }
  if (neighbor.subgraph_type() == v1::SUBGRAPH_TYPE_INDUCED &&
      !neighbor.edge_mask().empty()) {
    return Refuse("subgraph_type: induced with edge_mask '",
                  neighbor.edge_mask(),
                  "', which its edges need not meet; allowed: directional, "
                  "bidirectional");
  }
  if (neighbor.subgraph_type() == v1::SUBGRAPH_TYPE_INDUCED &&
      neighbor.time() != v1::TIME_COLUMN_NONE) {
    return Refuse(
        "subgraph_type: induced with a time, of which its edges would know "
        "nothing; allowed: directional, bidirectional");
  }
  return absl::OkStatus();
}

absl::Status CheckSubgraph(const v1::SessionSpec& spec) {
  const v1::NeighborSampling& neighbor = NeighborsOf(spec);
  if (spec.has_link() && !spec.link().enclosing() &&
      neighbor.subgraph_type() != v1::SUBGRAPH_TYPE_DIRECTIONAL) {
    return Refuse(
        "subgraph_type: not directional with links; allowed: directional, or "
        "induced with enclosing");
  }
  return CheckSubgraph(neighbor);
}

absl::Status CheckSubgraphOptions(const SubgraphOptions& options,
                                  const DrawOptions& draws) {
  v1::SessionSpec spec;
  FillDraws(draws, spec.mutable_neighbor(), &spec);
  FillSubgraph(options, spec.mutable_neighbor());
  if (options.max_scanned_edges != kDefaultMaxScannedEdges) {
    spec.mutable_neighbor()->set_max_scanned_edges(options.max_scanned_edges);
  }
  return CheckSubgraph(spec.neighbor());
}

}  // namespace tributary
