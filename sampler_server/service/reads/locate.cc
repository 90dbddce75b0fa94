#include <cstring>

#include "sampler_server/service/reads/graph_reads.h"
#include "sampler_server/service/reads/reply_of.h"

namespace tributary {

absl::StatusOr<LeafReply> ServeLocateNodes(
    const Graph& graph, const v1::LocateNodesRequest& request,
    absl::Span<const uint8_t> payload, const LeafLimits& limits,
    BudgetShare& budget) {
  const auto& types = graph.schema().node_types;
  RETURN_IF_ERROR(CheckIndex("node type", request.node_type(), types.size()));
  const NodeTypeSchema& type = types[request.node_type()];
  ASSIGN_OR_RETURN(const auto ids,
                   ItemsOf<int64_t>(request.num_ids(), payload));
  ASSIGN_OR_RETURN(LeafReply reply,
                   ReplyOf(ids.size(), sizeof(uint64_t), limits, budget));
  const NodeMap& map = graph.node_map(static_cast<int>(request.node_type()));
  auto* const internal = reinterpret_cast<uint64_t*>(reply.payload.data());
  for (size_t i = 0; i < ids.size(); ++i) {
    ASSIGN_OR_RETURN(const NodeLocation at, map.Locate(ids[i]));
    internal[i] = static_cast<uint64_t>(type.base[at.partition]) + at.row;
  }
  return reply;
}

absl::StatusOr<LeafReply> ServeLocateEdges(
    const Graph& graph, const v1::LocateEdgesRequest& request,
    absl::Span<const uint8_t> payload, const LeafLimits& limits,
    BudgetShare& budget) {
  const auto& types = graph.schema().edge_types;
  RETURN_IF_ERROR(CheckIndex("edge type", request.edge_type(), types.size()));
  const auto type = static_cast<int>(request.edge_type());
  const EdgeIndex* index = graph.edge_index(type);
  if (index == nullptr) {
    return absl::FailedPreconditionError(absl::StrCat(
        "graph '", graph.schema().name, "' stores no edge index of ",
        types[type].name(),
        "; look-ups by edge id need a graph partitioned with --edge-index "
        "(tributary partition --edge-index)"));
  }
  ASSIGN_OR_RETURN(const auto ids,
                   ItemsOf<int64_t>(request.num_ids(), payload));
  ASSIGN_OR_RETURN(
      LeafReply reply,
      ReplyOf(ids.size(), sizeof(uint64_t) + sizeof(uint32_t), limits, budget));
  auto* const positions = reinterpret_cast<uint64_t*>(reply.payload.data());
  auto* const partitions = reinterpret_cast<uint32_t*>(positions + ids.size());
  for (size_t i = 0; i < ids.size(); ++i) {
    ASSIGN_OR_RETURN(const EdgeLocation at, index->Locate(ids[i]));
    positions[i] = at.position;
    partitions[i] = at.partition;
  }
  return reply;
}

}  // namespace tributary
