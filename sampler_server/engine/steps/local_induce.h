// Finds induced edges in the partitions of this server.
#ifndef TRIBUTARY_SAMPLER_SERVER_ENGINE_STEPS_LOCAL_INDUCE_H_
#define TRIBUTARY_SAMPLER_SERVER_ENGINE_STEPS_LOCAL_INDUCE_H_

#include <cstdint>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "partition/format/graph.h"
#include "sampler_server/engine/ids/node_set.h"
#include "sampler_server/engine/questions/induced_edges.h"
#include "sampler_server/engine/steps/induce_share.h"
#include "sampler_server/engine/steps/induced_edge_table.h"
#include "sampler_server/engine/steps/induced_nodes.h"

namespace tributary {

// Each call does a piece of a share's work, a millisecond or so, and moves the
// share on; the caller lets other tasks run between calls. Shares must be of
// partitions that are here. All arguments of the constructor outlive it.
// Errors are those of CountInduced and TakeInduced. Not thread-safe.
class LocalInduce {
 public:
  // `sources`: the set of nodes.sources. `stop` may be null.
  LocalInduce(const Graph& graph, int edge_type, const InducedNodes& nodes,
              const NodeSet& sources, StopCheck* stop = nullptr)
      : graph_(graph),
        edge_type_(edge_type),
        nodes_(nodes),
        sources_(sources),
        stop_(stop) {}

  // Counts the edges of the next nodes into `table`. Returns the in-edges that
  // were looked at; more than `most` if the next node would exceed `most`, and
  // that node is not counted.
  absl::StatusOr<uint64_t> CountSome(uint64_t most, InduceShare* share,
                                     InducedEdgeTable* table) const;

  // Writes the edges of the next nodes to `table`, which has their counts and
  // is allocated.
  absl::Status TakeSome(InduceShare* share, InducedEdgeTable* table) const;

 private:
  const EdgePartition& EdgesOf(const InduceShare& share) const;
  // The share's row of node `destination`.
  InducedRow RowOf(const InduceShare& share, uint32_t destination) const;

  const Graph& graph_;
  const int edge_type_;
  const InducedNodes& nodes_;
  const NodeSet& sources_;
  StopCheck* const stop_;
};

}  // namespace tributary

#endif  // TRIBUTARY_SAMPLER_SERVER_ENGINE_STEPS_LOCAL_INDUCE_H_
