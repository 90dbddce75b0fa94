#include "sampler_server/engine/steps/induce_share.h"

#include <algorithm>

#include "sampler_server/engine/batch/held_memory.h"
#include "sampler_server/engine/ids/frontier.h"

namespace tributary {
namespace {

// Nodes that are split at once: the split's own memory stays small.
constexpr size_t kNodesAtOnce = 256;

// Calls visit(from, groups) for the groups of destinations [from, ...), piece
// by piece.
template <typename Visit>
void ForEachPiece(const NodeTypeSchema& type, const InducedNodes& nodes,
                  Visit visit) {
  const absl::Span<const uint64_t> ids = nodes.destinations;
  for (size_t from = 0; from < ids.size(); from += kNodesAtOnce) {
    const auto piece =
        ids.subspan(from, std::min(kNodesAtOnce, ids.size() - from));
    const NodesByPartition parted = nodes.trees == 0
                                        ? GroupByPartition(type, piece)
                                        : GroupTreesByPartition(type, piece);
    for (const PartitionNodes& group : parted.groups) visit(from, group);
  }
}

}  // namespace

uint64_t InduceShare::bytes() const {
  return HeldBytes(nodes) + HeldBytes(answer_ends);
}

std::vector<InduceShare> MakeInduceShares(const Graph& graph, int edge_type,
                                          const InducedNodes& nodes) {
  const GraphSchema& schema = graph.schema();
  const NodeTypeSchema& type =
      schema.node_types[schema.edge_types[edge_type].dst_type];
  std::vector<size_t> sizes(type.base.size(), 0);
  ForEachPiece(type, nodes, [&](size_t, const PartitionNodes& group) {
    sizes[group.partition] += group.index.size();
  });
  std::vector<InduceShare> shares;
  std::vector<size_t> share_of(type.base.size(), SIZE_MAX);
  ForEachPiece(type, nodes, [&](size_t from, const PartitionNodes& group) {
    const uint32_t partition = group.partition;
    if (share_of[partition] == SIZE_MAX) {
      share_of[partition] = shares.size();
      InduceShare& share = shares.emplace_back();
      share.partition = partition;
      share.here = graph.edges(edge_type, partition) != nullptr;
      share.nodes.reserve(sizes[partition]);
    }
    for (const uint32_t index : group.index) {
      shares[share_of[partition]].nodes.push_back(static_cast<uint32_t>(from) +
                                                  index);
    }
  });
  return shares;
}

}  // namespace tributary
