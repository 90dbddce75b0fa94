#include "sampler_server/engine/steps/induced_edge_table.h"

#include <numeric>
#include <utility>

#include "sampler_server/engine/batch/held_memory.h"

namespace tributary {

uint64_t InducedEdgeTable::NumEdges() const {
  return std::accumulate(counts_.begin(), counts_.end(), uint64_t{0});
}

uint64_t InducedEdgeTable::BytesToFill(bool positions) const {
  const uint64_t owners = positions ? counts_.size() * sizeof(uint32_t) : 0;
  const uint64_t edge_bytes = sizeof(uint32_t) +
                              (has_edge_ids_ ? sizeof(int64_t) : 0) +
                              (positions ? sizeof(uint64_t) : 0);
  return NumEdges() * edge_bytes + owners;
}

void InducedEdgeTable::Allocate(bool positions) {
  const uint64_t edges = NumEdges();
  hop_.src.resize(edges);
  if (has_edge_ids_) hop_.edge_ids.resize(edges);
  if (positions) hop_.positions.resize(edges);
}

InducedEdges InducedEdgeTable::edges() {
  return {hop_.src.data(), has_edge_ids_ ? hop_.edge_ids.data() : nullptr,
          has_positions() ? hop_.positions.data() : nullptr};
}

uint64_t InducedEdgeTable::FirstEdge(uint32_t node, Cursor* cursor) const {
  while (cursor->node < node) cursor->edge += counts_[cursor->node++];
  return cursor->edge;
}

void InducedEdgeTable::SetOwner(absl::Span<const uint32_t> nodes,
                                uint32_t partition) {
  hop_.owners.resize(counts_.size());
  for (const uint32_t node : nodes) hop_.owners[node] = partition;
}

SampledHop InducedEdgeTable::Release() {
  hop_.counts = std::move(counts_);
  return std::move(hop_);
}

uint64_t InducedEdgeTable::bytes() const {
  return HeldBytes(counts_) + hop_.bytes();
}

}  // namespace tributary
