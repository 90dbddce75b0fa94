#include "partition/pipeline/partitioners/metis_partitioner.h"

#include <metis.h>

#include <algorithm>
#include <limits>

#include "absl/strings/str_cat.h"
#include "common/runtime/parallel_for.h"
#include "common/text/status.h"

namespace tributary {
namespace {

constexpr idx_t kSeed = 1;
constexpr size_t kGrain = 4096;

// An undirected graph in METIS's format: the neighbours of v are adjncy[xadj[v]
// .. xadj[v + 1]).
struct UndirectedGraph {
  std::vector<idx_t> xadj;
  std::vector<idx_t> adjncy;
};

// Numbers the nodes of all types one type after the other; returns the number
// of each type's first node.
std::vector<uint64_t> FirstNumbers(const GraphContent& content) {
  std::vector<uint64_t> first = {0};
  for (const NodeContent& type : content.node_types) {
    first.push_back(first.back() + static_cast<uint64_t>(type.num_nodes));
  }
  return first;
}

// Calls f(u, v) with joint numbers for every edge that is no loop.
template <typename F>
void ForEachEdge(const GraphContent& content,
                 const std::vector<uint64_t>& first, F f) {
  for (const EdgeContent& type : content.edge_types) {
    const auto indptr = type.in_edges.indptr();
    for (size_t dst = 0; dst + 1 < indptr.size(); ++dst) {
      const uint64_t v = first[type.dst_type] + dst;
      for (uint64_t i = indptr[dst]; i < indptr[dst + 1]; ++i) {
        const auto neighbor =
            static_cast<uint64_t>(type.in_edges.edge(i).neighbor);
        const uint64_t u = first[type.src_type] + neighbor;
        if (u != v) f(u, v);
      }
    }
  }
}

absl::Status CheckFitsMetis(uint64_t num_nodes, uint64_t num_ends) {
  constexpr auto kMax =
      static_cast<uint64_t>(std::numeric_limits<idx_t>::max());
  if (num_nodes < kMax && num_ends <= kMax) return absl::OkStatus();
  return absl::ResourceExhaustedError(absl::StrCat("METIS takes at most ", kMax,
                                                   " nodes and ends of edges; "
                                                   "the graph has ",
                                                   num_nodes, " and ", num_ends,
                                                   "; use --method random"));
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

absl::StatusOr<UndirectedGraph> MakeUndirected(
    const GraphContent& content, const std::vector<uint64_t>& first) {
  std::vector<uint64_t> end(first.back() + 1, 0);
  ForEachEdge(content, first, [&](uint64_t u, uint64_t v) {
    ++end[u + 1];
    ++end[v + 1];
  });
  for (size_t v = 0; v + 1 < end.size(); ++v) end[v + 1] += end[v];
  RETURN_IF_ERROR(CheckFitsMetis(first.back(), end.back()));
  UndirectedGraph graph;
  graph.xadj.assign(end.begin(), end.end());
  graph.adjncy.resize(end.back());
  ForEachEdge(content, first, [&](uint64_t u, uint64_t v) {
    graph.adjncy[end[u]++] = static_cast<idx_t>(v);
    graph.adjncy[end[v]++] = static_cast<idx_t>(u);
  });
  RETURN_IF_ERROR(SortAndDedupe(graph));
  return graph;
}

absl::StatusOr<std::vector<idx_t>> RunMetis(UndirectedGraph graph,
                                            uint32_t num_partitions) {
  auto num_nodes = static_cast<idx_t>(graph.xadj.size() - 1);
  auto parts = static_cast<idx_t>(num_partitions);
  idx_t num_constraints = 1, cut = 0;
  idx_t options[METIS_NOPTIONS];
  METIS_SetDefaultOptions(options);
  options[METIS_OPTION_SEED] = kSeed;
  options[METIS_OPTION_NUMBERING] = 0;
  std::vector<idx_t> part(graph.xadj.size() - 1);
  const int result =
      METIS_PartGraphKway(&num_nodes, &num_constraints, graph.xadj.data(),
                          graph.adjncy.data(), nullptr, nullptr, nullptr,
                          &parts, nullptr, nullptr, options, &cut, part.data());
  if (result == METIS_OK) return part;
  if (result == METIS_ERROR_MEMORY) {
    return absl::ResourceExhaustedError(
        "METIS ran out of memory; use --method random");
  }
  return absl::InternalError(absl::StrCat("METIS failed with ", result));
}

absl::StatusOr<std::vector<idx_t>> PlaceAll(const GraphContent& content,
                                            const std::vector<uint64_t>& first,
                                            uint32_t num_partitions) {
  std::vector<idx_t> part(first.back(), 0);
  if (num_partitions == 1) return part;
  if (first.back() <= num_partitions) {
    for (size_t i = 0; i < part.size(); ++i) part[i] = static_cast<idx_t>(i);
    return part;
  }
  ASSIGN_OR_RETURN(UndirectedGraph graph, MakeUndirected(content, first));
  return RunMetis(std::move(graph), num_partitions);
}

}  // namespace

absl::StatusOr<std::vector<std::vector<uint16_t>>> MetisPartitioner::Partition(
    const GraphContent& content, const PartitionOptions& options) const {
  const std::vector<uint64_t> first = FirstNumbers(content);
  ASSIGN_OR_RETURN(const std::vector<idx_t> part,
                   PlaceAll(content, first, options.num_partitions));
  std::vector<std::vector<uint16_t>> result;
  for (size_t t = 0; t < content.node_types.size(); ++t) {
    result.emplace_back(part.begin() + first[t], part.begin() + first[t + 1]);
  }
  return result;
}

}  // namespace tributary
