#include <cstring>

#include "sampler_server/service/reads/graph_reads.h"
#include "sampler_server/service/reads/reply_of.h"

namespace tributary {

absl::StatusOr<ItemRead> BeginLocateNodes(const Graph& graph,
                                          const v1::LocateNodesRequest& request,
                                          absl::Span<const uint8_t> payload,
                                          const LeafLimits& limits,
                                          BudgetShare& budget) {
  const auto& types = graph.schema().node_types;
  RETURN_IF_ERROR(CheckIndex("node type", request.node_type(), types.size()));
  const NodeTypeSchema& type = types[request.node_type()];
  ASSIGN_OR_RETURN(auto ids, ItemsOf<int64_t>(request.num_ids(), payload));
  ASSIGN_OR_RETURN(LeafReply reply,
                   ReplyOf(ids.size(), sizeof(uint64_t), limits, budget));
  const NodeMap& map = graph.node_map(static_cast<int>(request.node_type()));
  auto* const internal = reinterpret_cast<uint64_t*>(reply.payload.data());
  const size_t num_ids = ids.size();
  // A node's row is counted within its block.
  const uint64_t work =
      kRandomAccess + NodeMap::BlockSize(graph.schema().num_partitions) / 8;
  return ItemRead(
      std::move(reply), num_ids, work,
      [&map, &type, internal, ids = std::move(ids)](
          size_t from, size_t to, WorkSlice&) -> absl::StatusOr<size_t> {
        for (size_t i = from; i < to; ++i) {
          ASSIGN_OR_RETURN(const NodeLocation at, map.Locate(ids[i]));
          internal[i] = static_cast<uint64_t>(type.base[at.partition]) + at.row;
        }
        return to - from;
      });
}

absl::StatusOr<ItemRead> BeginLocateEdges(const Graph& graph,
                                          const v1::LocateEdgesRequest& request,
                                          absl::Span<const uint8_t> payload,
                                          const LeafLimits& limits,
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
  ASSIGN_OR_RETURN(auto ids, ItemsOf<int64_t>(request.num_ids(), payload));
  ASSIGN_OR_RETURN(
      LeafReply reply,
      ReplyOf(ids.size(), sizeof(uint64_t) + sizeof(uint32_t), limits, budget));
  auto* const positions = reinterpret_cast<uint64_t*>(reply.payload.data());
  auto* const partitions = reinterpret_cast<uint32_t*>(positions + ids.size());
  const size_t num_ids = ids.size();
  return ItemRead(
      std::move(reply), num_ids, kRandomAccess,
      [index, positions, partitions, ids = std::move(ids)](
          size_t from, size_t to, WorkSlice&) -> absl::StatusOr<size_t> {
        for (size_t i = from; i < to; ++i) {
          ASSIGN_OR_RETURN(const EdgeLocation at, index->Locate(ids[i]));
          positions[i] = at.position;
          partitions[i] = at.partition;
        }
        return to - from;
      });
}

}  // namespace tributary
