// The assignment of nodes to the ranks of an MPI program.
#ifndef TRIBUTARY_PARTITION_PIPELINE_MPI_NODE_SHARES_H_
#define TRIBUTARY_PARTITION_PIPELINE_MPI_NODE_SHARES_H_

#include <cstdint>

namespace tributary {

// Node v is row v / ranks of rank v % ranks, so that
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

}  // namespace tributary

#endif  // TRIBUTARY_PARTITION_PIPELINE_MPI_NODE_SHARES_H_
