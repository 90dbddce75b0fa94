// A graph in METIS's format.
#ifndef TRIBUTARY_PARTITION_PIPELINE_PARTITIONERS_METIS_UNDIRECTED_GRAPH_H_
#define TRIBUTARY_PARTITION_PIPELINE_PARTITIONERS_METIS_UNDIRECTED_GRAPH_H_

#include <metis.h>

#include <vector>

#include "absl/status/statusor.h"
#include "partition/pipeline/partitioners/method/joint_nodes.h"
#include "partition/source/graph_source.h"

namespace tributary {

// The neighbours of node v, ascending and each once, are adjncy[xadj[v] ..
// xadj[v + 1]).
struct UndirectedGraph {
  std::vector<idx_t> xadj;
  std::vector<idx_t> adjncy;
};

// Returns `graph` as undirected, without loops and parallel edges, by joint
// numbers. Reads the edges twice; takes 12 bytes per node and 8 per row.
// INVALID_ARGUMENT if METIS's 32-bit indices do not suffice; else errors as
// JointEnds::Read.
absl::StatusOr<UndirectedGraph> MakeUndirected(const GraphSource& graph,
                                               const JointNodes& nodes);

}  // namespace tributary

#endif  // TRIBUTARY_PARTITION_PIPELINE_PARTITIONERS_METIS_UNDIRECTED_GRAPH_H_
