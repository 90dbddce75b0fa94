#include "sampler_server/engine/ids/resolve_ids.h"

#include "absl/strings/str_cat.h"
#include "common/text/status.h"

namespace tributary {

absl::StatusOr<std::vector<uint64_t>> ResolveIds(
    const Graph& graph, int node_type, absl::Span<const int64_t> original_ids,
    StopCheck* stop) {
  const NodeTypeSchema& type = graph.schema().node_types[node_type];
  const NodeMap& map = graph.node_map(node_type);
  std::vector<uint64_t> internal;
  internal.reserve(original_ids.size());
  // A node's row is counted from the checkpoint before it, 16 at a time.
  const uint64_t work =
      1 + NodeMap::BlockSize(graph.schema().num_partitions) / 16;
  for (const int64_t id : original_ids) {
    if (ShouldStop(stop, work)) return stop->why();
    if (id < 0 || id >= type.num_nodes) {
      return absl::InvalidArgumentError(
          absl::StrCat("input ", id, " is no node of type ", type.name,
                       "; allowed: 0 to ", type.num_nodes - 1));
    }
    ASSIGN_OR_RETURN(const NodeLocation at, map.Locate(id));
    if (at.partition + 1 >= type.base.size() ||
        at.row >= static_cast<uint64_t>(type.base[at.partition + 1] -
                                        type.base[at.partition])) {
      return absl::DataLossError(absl::StrCat(
          "node_map puts node ", id, " of type ", type.name, " at row ", at.row,
          " of partition ", at.partition, ": verify the graph"));
    }
    internal.push_back(static_cast<uint64_t>(type.base[at.partition]) + at.row);
  }
  return internal;
}

}  // namespace tributary
