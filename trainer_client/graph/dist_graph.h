// A distributed graph as an object that a trainer holds: DGL's DistGraph.
#ifndef TRIBUTARY_TRAINER_CLIENT_GRAPH_DIST_GRAPH_H_
#define TRIBUTARY_TRAINER_CLIENT_GRAPH_DIST_GRAPH_H_

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "absl/types/span.h"
#include "trainer_client/graph/graph_data.h"
#include "trainer_client/graph/graph_lookups.h"
#include "trainer_client/graph/partition_book.h"
#include "trainer_client/graph/sample_options.h"
#include "trainer_client/graph/sampled_edges.h"
#include "trainer_client/modes/sampling_workers.h"
#include "trainer_client/tensors/dist_context.h"

namespace tributary {

// This rank's part of the graph.
struct LocalPart {
  std::vector<uint32_t> partitions;  // see PartitionsOfRank
  NodesByType nodes;                 // original ids, ascending
};

// Which rank the holder of a graph is; of a DistContext that of its group.
struct DistGraphOptions {
  std::string graph_name;  // NAME or NAME@VERSION; empty: the workers' graph
  int rank = 0;
  int world_size = 1;
  absl::Duration timeout = absl::Seconds(180);  // of each call
};

// Answers from the servers, over connections that it keeps. All ids are
// original ids. Node and edge types may be empty where there is one; edge types
// may be "rel" where that is enough. Calls wait in the caller's thread, at most
// the timeout: DEADLINE_EXCEEDED or UNAVAILABLE then name servers. Further
// errors as of GraphLookups. Thread-safe.
//
//   ASSIGN_OR_RETURN(auto graph, DistGraph::Create(*context, "papers"));
//   ASSIGN_OR_RETURN(GraphData * papers, graph->ndata("paper"));
//   ASSIGN_OR_RETURN(GraphRows x, papers->Read("x", ids));
class DistGraph {
 public:
  // Connects to the context's servers. UNAVAILABLE if none answers within the
  // context's timeout; NOT_FOUND if they have no graph of that name. The
  // context must outlive the graph. Not a collective.
  static absl::StatusOr<std::unique_ptr<DistGraph>> Create(
      DistContext& context, const std::string& name);
  // The same without a group.
  static absl::StatusOr<std::unique_ptr<DistGraph>> Open(
      SamplingWorkers* workers, const DistGraphOptions& options);

  const GraphSchema& schema() const { return connection_->schema(); }
  const DistGraphOptions& options() const { return options_; }
  bool homogeneous() const { return !schema().heterogeneous; }
  const std::vector<std::string>& ntypes() const { return book_.ntypes(); }
  // "src,rel,dst" of the types that users see, and "rel" of each.
  const std::vector<std::string>& canonical_etypes() const {
    return book_.etypes();
  }
  std::vector<std::string> etypes() const;
  absl::StatusOr<int64_t> num_nodes(const std::string& node_type = "") const;
  absl::StatusOr<int64_t> num_edges(const std::string& edge_type = "") const;
  // Of all types.
  int64_t num_nodes_total() const { return schema().NumNodes(); }
  int64_t num_edges_total() const { return schema().NumEdges(); }

  // Columns of nodes and of edges. INVALID_ARGUMENT for a type.
  absl::StatusOr<GraphData*> ndata(const std::string& node_type = "");
  absl::StatusOr<GraphData*> edata(const std::string& edge_type = "");

  absl::StatusOr<std::vector<int64_t>> InDegrees(
      absl::Span<const int64_t> nodes, const std::string& edge_type = "") const;
  // Needs --degrees, or reverse edges: FAILED_PRECONDITION else.
  absl::StatusOr<std::vector<int64_t>> OutDegrees(
      absl::Span<const int64_t> nodes, const std::string& edge_type = "") const;
  // Needs --edge-index.
  absl::StatusOr<EdgeEnds> FindEdges(absl::Span<const int64_t> edge_ids,
                                     const std::string& edge_type = "") const;

  // All in-edges of the nodes. A node that comes twice counts once.
  absl::StatusOr<EdgesByType> InSubgraph(const NodesByType& nodes) const;
  // These edges with their ends. Needs --edge-index.
  absl::StatusOr<EdgesByType> EdgeSubgraph(
      const std::map<std::string, std::vector<int64_t>>& edge_ids) const;
  // One hop from the nodes, with the same fanout for each edge type; -1: all
  // edges. Edges of types whose ends get none are absent.
  absl::StatusOr<EdgesByType> SampleNeighbors(
      const NodesByType& nodes, int32_t fanout,
      const SampleOptions& options = {}) const;
  // The same with a fanout for each edge type; types without one get none.
  absl::StatusOr<EdgesByType> SampleEtypeNeighbors(
      const NodesByType& nodes, const std::map<std::string, int32_t>& fanouts,
      const SampleOptions& options = {}) const;
  // See MakeBlock.
  absl::StatusOr<MadeBlock> ToBlock(const EdgesByType& edges,
                                    const NodesByType& dst_nodes) const {
    return MakeBlock(schema(), edges, dst_nodes);
  }

  // The partitions of this rank and their nodes.
  absl::StatusOr<LocalPart> LocalPartition() const;
  // Makes the calls that wait, and all later ones, fail with CANCELLED.
  void Cancel() { connection_->Cancel(); }
  const PartitionBook& partition_book() const { return book_; }
  const GraphLookups& lookups() const { return lookups_; }

 private:
  DistGraph(const DistGraphOptions& options,
            std::unique_ptr<GraphConnection> connection);

  // As SampleEtypeNeighbors, by canonical names and without exclude_edges.
  absl::StatusOr<EdgesByType> Sample(
      const NodesByType& nodes, const std::map<std::string, int32_t>& fanouts,
      const SampleOptions& options) const;
  // Samples from nodes of one type into `edges`.
  absl::Status SampleFrom(const std::string& node_type,
                          const std::vector<int64_t>& nodes,
                          const std::map<std::string, int32_t>& fanouts,
                          const SampleOptions& options,
                          EdgesByType* edges) const;

  const DistGraphOptions options_;
  const std::unique_ptr<GraphConnection> connection_;
  const GraphLookups lookups_;
  const PartitionBook book_;
  std::vector<std::unique_ptr<GraphData>> ndata_, edata_;  // by index of type
};

// Returns the partitions that a rank calls its own: those p with
// floor(p * world_size / P) == rank; with fewer partitions than ranks, the one
// partition floor(rank * P / world_size), which several ranks share.
std::vector<uint32_t> PartitionsOfRank(uint32_t num_partitions, int rank,
                                       int world_size);

}  // namespace tributary

#endif  // TRIBUTARY_TRAINER_CLIENT_GRAPH_DIST_GRAPH_H_
