#include "partition/writer/hot/node_ranking.h"

#include <algorithm>
#include <tuple>

#include "absl/strings/str_cat.h"
#include "common/text/status.h"
#include "partition/format/row_crcs.h"

namespace tributary {
namespace {

// No node has this rank: lists have fewer nodes.
constexpr uint32_t kNoRank = UINT32_MAX;

}  // namespace

NodeRanking::NodeRanking(const Graph& graph, int node_type)
    : graph_(&graph),
      type_(node_type),
      nodes_(
          static_cast<size_t>(graph.schema().node_types[node_type].num_nodes)) {
}

absl::StatusOr<NodeRanking> NodeRanking::Make(
    const Graph& graph, int node_type, absl::Span<const uint32_t> counts) {
  NodeRanking ranking(graph, node_type);
  RETURN_IF_ERROR(ranking.CountOutEdges());
  RETURN_IF_ERROR(ranking.TakeIds(counts));
  RETURN_IF_ERROR(ranking.Sort());
  return ranking;
}

absl::Status NodeRanking::Wrong(const char* what, uint64_t id,
                                uint32_t partition) const {
  return absl::DataLossError(absl::StrCat(
      what, " in partition ", partition, " hold ", id, " of node type ",
      graph_->schema().node_types[type_].name, ", which has ", nodes_.size(),
      " nodes, each once: verify the graph"));
}

// A full counter stays full.
absl::Status NodeRanking::CountOutEdges() {
  const GraphSchema& schema = graph_->schema();
  for (size_t e = 0; e < schema.edge_types.size(); ++e) {
    if (schema.edge_types[e].src_type != type_) continue;
    for (uint32_t p = 0; p < schema.num_partitions; ++p) {
      const IdArray& sources = graph_->edges(static_cast<int>(e), p)->indices;
      for (size_t i = 0; i < sources.size(); ++i) {
        const uint64_t source = sources[i];
        if (source >= nodes_.size()) return Wrong("indices", source, p);
        uint32_t& degree = nodes_[source].degree_or_rank;
        if (degree != UINT32_MAX) ++degree;
      }
    }
  }
  return absl::OkStatus();
}

absl::Status NodeRanking::TakeIds(absl::Span<const uint32_t> counts) {
  size_t internal = 0;
  for (uint32_t p = 0; p < graph_->schema().num_partitions; ++p) {
    for (const int64_t id : graph_->nodes(type_, p)->orig_id) {
      if (id < 0 || static_cast<uint64_t>(id) >= nodes_.size()) {
        return Wrong("original ids", static_cast<uint64_t>(id), p);
      }
      Node& node = nodes_[internal++];
      node.id = static_cast<uint32_t>(id);
      if (!counts.empty()) node.count_or_crc = counts[node.id];
    }
  }
  return absl::OkStatus();
}

absl::Status NodeRanking::Sort() {
  const auto key = [](const Node& node) {
    return std::tuple(~node.count_or_crc, ~node.degree_or_rank, node.id);
  };
  std::sort(nodes_.begin(), nodes_.end(),
            [&key](const Node& a, const Node& b) { return key(a) < key(b); });
  for (Node& node : nodes_) node.degree_or_rank = kNoRank;
  for (size_t rank = 0; rank < nodes_.size(); ++rank) {
    uint32_t& place = nodes_[nodes_[rank].id].degree_or_rank;
    if (place != kNoRank) return Wrong("original ids", nodes_[rank].id, 0);
    place = static_cast<uint32_t>(rank);
  }
  return absl::OkStatus();
}

absl::Status NodeRanking::ReadCrcs() {
  const NodeTypeSchema& type = graph_->schema().node_types[type_];
  std::vector<uint32_t> crcs;
  for (uint32_t p = 0; p < graph_->schema().num_partitions; ++p) {
    const NodePartition& nodes = *graph_->nodes(type_, p);
    for (size_t at = 0; at < nodes.orig_id.size(); at += crcs.size()) {
      crcs.resize(std::min(RowsAtOnce(type), nodes.orig_id.size() - at));
      RETURN_IF_ERROR(ReadRowCrcs(type, nodes, at, absl::MakeSpan(crcs)));
      for (size_t i = 0; i < crcs.size(); ++i) {
        nodes_[RankOf(nodes.orig_id[at + i])].count_or_crc = crcs[i];
      }
    }
  }
  return graph_->damage();
}

}  // namespace tributary
