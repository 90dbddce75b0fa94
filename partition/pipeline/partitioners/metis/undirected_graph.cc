#include "partition/pipeline/partitioners/metis/undirected_graph.h"

#include <algorithm>
#include <cstdint>
#include <limits>

#include "absl/strings/str_cat.h"
#include "common/runtime/parallel_for.h"
#include "common/text/status.h"

namespace tributary {
namespace {

constexpr size_t kGrain = 4096;

absl::Status CheckFitsMetis(uint64_t num_nodes, uint64_t num_ends) {
  constexpr auto kMax =
      static_cast<uint64_t>(std::numeric_limits<idx_t>::max());
  if (num_nodes < kMax && num_ends <= kMax) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat(
      "METIS takes at most ", kMax, " nodes and ends of edges; the graph has ",
      num_nodes, " and ", num_ends, "; use --method ldg"));
}

// Sorts each row and drops repeats. An edge is in the rows of both ends, so the
// graph stays symmetric.
absl::Status SortAndDedupe(UndirectedGraph& graph) {
  const size_t n = graph.xadj.size() - 1;
  std::vector<idx_t> degree(n);
  RETURN_IF_ERROR(ParallelFor(n, kGrain, [&](size_t begin, size_t end) {
    for (size_t v = begin; v < end; ++v) {
      const auto row = graph.adjncy.begin() + graph.xadj[v];
      const auto row_end = graph.adjncy.begin() + graph.xadj[v + 1];
      std::sort(row, row_end);
      degree[v] = static_cast<idx_t>(std::unique(row, row_end) - row);
    }
    return absl::OkStatus();
  }));
  idx_t kept = 0;
  for (size_t v = 0; v < n; ++v) {
    const auto row = graph.adjncy.begin() + graph.xadj[v];
    std::copy(row, row + degree[v], graph.adjncy.begin() + kept);
    graph.xadj[v] = kept;
    kept += degree[v];
  }
  graph.xadj[n] = kept;
  graph.adjncy.resize(static_cast<size_t>(kept));
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<UndirectedGraph> MakeUndirected(const GraphSource& graph,
                                               const JointNodes& nodes) {
  RETURN_IF_ERROR(CheckFitsMetis(nodes.size(), 0));
  std::vector<uint64_t> end(nodes.size() + 1, 0);
  RETURN_IF_ERROR(ForEachEdge(graph, nodes, [&](uint64_t u, uint64_t v) {
    ++end[u + 1];
    ++end[v + 1];
  }));
  for (size_t v = 0; v + 1 < end.size(); ++v) end[v + 1] += end[v];
  RETURN_IF_ERROR(CheckFitsMetis(nodes.size(), end.back()));
  UndirectedGraph result;
  result.xadj.assign(end.begin(), end.end());
  result.adjncy.resize(end.back());
  RETURN_IF_ERROR(ForEachEdge(graph, nodes, [&](uint64_t u, uint64_t v) {
    result.adjncy[end[u]++] = static_cast<idx_t>(v);
    result.adjncy[end[v]++] = static_cast<idx_t>(u);
  }));
  RETURN_IF_ERROR(SortAndDedupe(result));
  return result;
}

}  // namespace tributary
