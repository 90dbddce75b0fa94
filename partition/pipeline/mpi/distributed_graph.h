// The undirected graph of all edges, distributed over the ranks of an MPI
// program.
#ifndef TRIBUTARY_PARTITION_PIPELINE_MPI_DISTRIBUTED_GRAPH_H_
#define TRIBUTARY_PARTITION_PIPELINE_MPI_DISTRIBUTED_GRAPH_H_

#include <cstdint>
#include <vector>

#include "absl/status/statusor.h"
#include "partition/pipeline/mpi/communicator.h"
#include "partition/pipeline/mpi/edge_reader.h"
#include "partition/pipeline/mpi/node_shares.h"

namespace tributary {

// The nodes of one rank with their neighbours: no loops, no parallel edges,
// and each edge at both of its ends.
struct DistributedGraph {
  NodeShares shares{0, 1};
  std::vector<int64_t> row_ends;   // [rows + 1], from 0
  std::vector<int64_t> neighbors;  // their numbers, ascending within a row
};

// Exchanges the edges that the ranks' readers give, in rounds. A rank takes 16
// bytes for each end of an edge that is at one of its nodes, then 8 more for
// each that remains without parallel edges; the former are freed. Errors are
// those of the readers, and the same at all ranks. Collective.
absl::StatusOr<DistributedGraph> BuildDistributedGraph(const Communicator& comm,
                                                       int64_t num_nodes,
                                                       EdgeScan& reader);

}  // namespace tributary

#endif  // TRIBUTARY_PARTITION_PIPELINE_MPI_DISTRIBUTED_GRAPH_H_
