#include "sampler_server/engine/steps/local_induce.h"

#include <algorithm>

#include "common/text/status.h"
#include "partition/format/row_ends.h"

namespace tributary {
namespace {

// In-edges that a call looks at, but for those of its last node.
constexpr uint64_t kScannedAtOnce = uint64_t{1} << 20;
// Nodes of a call: they take little memory beside what is counted.
constexpr size_t kRowsAtOnce = 256;

}  // namespace

const EdgePartition& LocalInduce::EdgesOf(const InduceShare& share) const {
  return *graph_.edges(edge_type_, share.partition);
}

InducedRow LocalInduce::RowOf(const InduceShare& share,
                              uint32_t destination) const {
  const GraphSchema& schema = graph_.schema();
  const int dst_type = schema.edge_types[edge_type_].dst_type;
  return nodes_.RowOf(
      destination,
      static_cast<uint64_t>(schema.node_types[dst_type].base[share.partition]));
}

absl::StatusOr<uint64_t> LocalInduce::CountSome(uint64_t most,
                                                InduceShare* share,
                                                InducedEdgeTable* table) const {
  const InducedSource source{EdgesOf(*share), nodes_.num_src_nodes, sources_,
                             stop_};
  const size_t n = std::min(kRowsAtOnce, share->nodes.size() - share->next);
  std::vector<InducedRow> rows;
  rows.reserve(n);
  for (size_t i = 0; i < n; ++i) {
    rows.push_back(RowOf(*share, share->nodes[share->next + i]));
  }
  std::vector<uint32_t> counts(n);
  Scanned done;
  RETURN_IF_ERROR(
      CountInduced(source, rows, {kScannedAtOnce, most}, counts.data(), &done));
  for (size_t i = 0; i < done.rows; ++i) {
    table->SetCount(share->nodes[share->next + i], counts[i]);
  }
  share->next += done.rows;
  return done.edges;
}

absl::Status LocalInduce::TakeSome(InduceShare* share,
                                   InducedEdgeTable* table) const {
  const EdgePartition& edges = EdgesOf(*share);
  const InducedSource source{edges, nodes_.num_src_nodes, sources_, stop_};
  std::vector<InducedRow> rows;
  uint64_t scanned = 0;
  while (!share->done() && rows.size() < kRowsAtOnce &&
         scanned < kScannedAtOnce) {
    const uint32_t node = share->nodes[share->next++];
    if (table->count(node) == 0) continue;
    InducedRow& row = rows.emplace_back(RowOf(*share, node));
    row.count = table->count(node);
    row.to = table->FirstEdge(node, &share->cursor);
    const RowEnds ends = ReadRowEnds(edges.indptr, row.row);
    scanned += ends.IsWithin(edges.indices.size()) ? ends.end - ends.begin : 0;
  }
  return TakeInduced(source, rows, 0, table->edges());
}

}  // namespace tributary
