#include "partition/pipeline/mpi/distributed_graph.h"

#include <algorithm>
#include <utility>

#include "common/text/status.h"
#include "partition/pipeline/mpi/sorted_runs.h"

namespace tributary {
namespace {

// Edges that all ranks together read in a round.
constexpr size_t kRoundEdges = size_t{1} << 20;

absl::Status Collect(const Communicator& comm, const NodeShares& shares,
                     EdgeScan& reader, SortedRuns& runs) {
  std::vector<HomogeneousEdge> block(
      std::max<size_t>(1024, kRoundEdges / comm.size()));
  const auto fill = [&](auto& out) -> absl::StatusOr<bool> {
    ASSIGN_OR_RETURN(const size_t count, reader.Read(absl::MakeSpan(block)));
    for (size_t i = 0; i < count; ++i) {
      const auto [a, b] = block[i];
      if (a == b) continue;
      out[shares.Rank(a)].push_back({shares.Row(a), shares.Number(b)});
      out[shares.Rank(b)].push_back({shares.Row(b), shares.Number(a)});
    }
    return count > 0;
  };
  return Exchange<HalfEdge>(comm, fill, [&](auto edges) {
    runs.Add(edges);
    return absl::OkStatus();
  });
}

}  // namespace

absl::StatusOr<DistributedGraph> BuildDistributedGraph(const Communicator& comm,
                                                       int64_t num_nodes,
                                                       EdgeScan& reader) {
  DistributedGraph graph;
  graph.shares = NodeShares(num_nodes, comm.size());
  SortedRuns runs;
  RETURN_IF_ERROR(Collect(comm, graph.shares, reader, runs));
  graph.row_ends.assign(graph.shares.Rows(comm.rank()) + 1, 0);
  graph.neighbors.reserve(runs.size());
  runs.Merge([&](const HalfEdge& edge) {
    ++graph.row_ends[edge.row + 1];
    graph.neighbors.push_back(edge.neighbor);
  });
  for (size_t row = 1; row < graph.row_ends.size(); ++row) {
    graph.row_ends[row] += graph.row_ends[row - 1];
  }
  return graph;
}

}  // namespace tributary
