// The part of a batch's nodes whose in-edges one partition holds.
#ifndef TRIBUTARY_SAMPLER_SERVER_ENGINE_STEPS_INDUCE_SHARE_H_
#define TRIBUTARY_SAMPLER_SERVER_ENGINE_STEPS_INDUCE_SHARE_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "partition/format/graph.h"
#include "sampler_server/engine/steps/induced_edge_table.h"
#include "sampler_server/engine/steps/induced_nodes.h"

namespace tributary {

// One partition's destinations and how far a pass over them has come. There
// are two passes: one counts edges, one takes them.
struct InduceShare {
  uint32_t partition = 0;
  bool here = false;            // on this server
  std::vector<uint32_t> nodes;  // local numbers, ascending
  // Places in `nodes` behind the last node that each answer of a peer counted.
  // A peer may be asked to take the nodes of one answer together.
  std::vector<size_t> answer_ends;

  size_t next = 0;          // in `nodes`: the first that is not done
  uint64_t next_taken = 0;  // of its edges, those that are taken already
  InducedEdgeTable::Cursor cursor;

  bool done() const { return next == nodes.size(); }
  void BeginPass() { next = 0; }
  // Memory held.
  uint64_t bytes() const;
};

// Splits the destinations among the partitions of `edge_type`. Partitions
// without nodes have no share. Beside the shares, holds memory for a few
// hundred nodes and 16 bytes for each partition.
std::vector<InduceShare> MakeInduceShares(const Graph& graph, int edge_type,
                                          const InducedNodes& nodes);

}  // namespace tributary

#endif  // TRIBUTARY_SAMPLER_SERVER_ENGINE_STEPS_INDUCE_SHARE_H_
