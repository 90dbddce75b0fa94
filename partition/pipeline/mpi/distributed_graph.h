// The undirected graph of all edges, distributed over the ranks of an MPI
// program.
#ifndef TRIBUTARY_PARTITION_PIPELINE_MPI_DISTRIBUTED_GRAPH_H_
#define TRIBUTARY_PARTITION_PIPELINE_MPI_DISTRIBUTED_GRAPH_H_

#include <cstdint>
#include <vector>

#include "absl/status/statusor.h"
#include "partition/pipeline/mpi/communicator.h"
#include "partition/pipeline/mpi/edge_reader.h"

namespace tributary {

// Which rank has which node: node v is row v / ranks of rank v % ranks, so that
// neither hubs of neighbouring ids nor a type of many edges come to one rank.
// The *number* of a node is its place when nodes are listed by rank and row.
class NodeShares {
 public:
  NodeShares(int64_t num_nodes, int ranks)
      : num_nodes_(num_nodes), ranks_(ranks) {}

  int64_t num_nodes() const { return num_nodes_; }
  int Rank(int64_t node) const { return static_cast<int>(node % ranks_); }
  int64_t Row(int64_t node) const { return node / ranks_; }
  int64_t Rows(int rank) const {
    return num_nodes_ / ranks_ + (rank < num_nodes_ % ranks_ ? 1 : 0);
  }
  // The number of the rank's first node.
  int64_t Begin(int rank) const {
    return num_nodes_ / ranks_ * rank +
           (rank < num_nodes_ % ranks_ ? rank : num_nodes_ % ranks_);
  }
  int64_t Number(int64_t node) const { return Begin(Rank(node)) + Row(node); }

 private:
  int64_t num_nodes_;
  int ranks_;
};

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
                                                       EdgeReader& reader);

}  // namespace tributary

#endif  // TRIBUTARY_PARTITION_PIPELINE_MPI_DISTRIBUTED_GRAPH_H_
