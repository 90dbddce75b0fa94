#include "partition/pipeline/mpi/distributed_graph.h"

#include <algorithm>
#include <compare>
#include <functional>
#include <queue>
#include <utility>

#include "common/text/status.h"

namespace tributary {
namespace {

// One end of an edge: a row of this rank and the number of its neighbour.
struct HalfEdge {
  int64_t row = 0;
  int64_t neighbor = 0;
  friend auto operator<=>(const HalfEdge&, const HalfEdge&) = default;
};

// Edges that all ranks together read in a round.
constexpr size_t kRoundEdges = size_t{1} << 20;
constexpr size_t kRunEdges = size_t{1} << 22;  // 64 MiB

// Half edges in sorted runs, so that sorting needs no second copy of all.
class SortedRuns {
 public:
  void Add(absl::Span<const HalfEdge> edges) {
    open_.insert(open_.end(), edges.begin(), edges.end());
    if (open_.size() >= kRunEdges) CloseRun();
  }

  // Calls `take` with each distinct half edge, ascending.
  void Merge(absl::FunctionRef<void(const HalfEdge&)> take) {
    CloseRun();
    using Head = std::pair<HalfEdge, size_t>;
    std::priority_queue<Head, std::vector<Head>, std::greater<>> heads;
    std::vector<size_t> next(runs_.size(), 0);
    for (size_t run = 0; run < runs_.size(); ++run) {
      heads.emplace(runs_[run][0], run);
    }
    HalfEdge last = {-1, -1};
    while (!heads.empty()) {
      const auto [edge, run] = heads.top();
      heads.pop();
      if (++next[run] < runs_[run].size()) {
        heads.emplace(runs_[run][next[run]], run);
      } else {
        std::vector<HalfEdge>().swap(runs_[run]);
      }
      if (edge == last) continue;
      take(edge);
      last = edge;
    }
  }

  size_t size() const {
    size_t sum = open_.size();
    for (const auto& run : runs_) sum += run.size();
    return sum;
  }

 private:
  void CloseRun() {
    if (open_.empty()) return;
    std::sort(open_.begin(), open_.end());
    open_.erase(std::unique(open_.begin(), open_.end()), open_.end());
    runs_.emplace_back(open_.begin(), open_.end());
    open_.clear();
  }

  std::vector<HalfEdge> open_;
  std::vector<std::vector<HalfEdge>> runs_;
};

absl::Status Collect(const Communicator& comm, const NodeShares& shares,
                     EdgeReader& reader, SortedRuns& runs) {
  std::vector<EdgeEnds> block(
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
                                                       EdgeReader& reader) {
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
