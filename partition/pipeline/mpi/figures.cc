#include "partition/pipeline/mpi/figures.h"

#include <algorithm>
#include <numeric>

namespace tributary {
namespace {

constexpr int64_t kNodesAtOnce = int64_t{1} << 25;

// Gathers, at all ranks, the partitions of the nodes numbered [begin, end).
std::vector<uint16_t> GatherParts(const Communicator& comm,
                                  const NodeShares& shares,
                                  absl::Span<const uint16_t> parts,
                                  int64_t begin, int64_t end) {
  std::vector<int> counts(comm.size());
  std::vector<int> starts(comm.size());
  const uint16_t* mine = nullptr;
  for (int rank = 0; rank < comm.size(); ++rank) {
    const int64_t first = shares.Begin(rank);
    const int64_t from = std::clamp(first, begin, end);
    const int64_t to = std::clamp(first + shares.Rows(rank), begin, end);
    counts[rank] = static_cast<int>(to - from);
    starts[rank] = static_cast<int>(from - begin);
    if (rank == comm.rank() && to > from) mine = &parts[from - first];
  }
  std::vector<uint16_t> gathered(end - begin);
  MPI_Allgatherv(mine, counts[comm.rank()], MPI_UINT16_T, gathered.data(),
                 counts.data(), starts.data(), MPI_UINT16_T, comm.comm());
  return gathered;
}

// Counts the ends of this rank whose neighbours are in other partitions.
int64_t CountCutEnds(const Communicator& comm, const DistributedGraph& graph,
                     absl::Span<const uint16_t> parts) {
  const int64_t num_nodes = graph.shares.num_nodes();
  int64_t cut = 0;
  for (int64_t begin = 0; begin < num_nodes; begin += kNodesAtOnce) {
    const int64_t end = std::min(begin + kNodesAtOnce, num_nodes);
    const std::vector<uint16_t> gathered =
        GatherParts(comm, graph.shares, parts, begin, end);
    for (size_t row = 0; row < parts.size(); ++row) {
      for (int64_t i = graph.row_ends[row]; i < graph.row_ends[row + 1]; ++i) {
        const int64_t neighbor = graph.neighbors[i];
        if (neighbor < begin || neighbor >= end) continue;
        if (gathered[neighbor - begin] != parts[row]) ++cut;
      }
    }
  }
  return cut;
}

}  // namespace

AssignmentFigures CountFigures(const Communicator& comm,
                               const DistributedGraph& graph,
                               absl::Span<const uint16_t> parts,
                               absl::Span<const int64_t> weights,
                               uint32_t num_partitions) {
  AssignmentFigures figures;
  figures.nodes.resize(num_partitions);
  figures.ends.resize(num_partitions);
  figures.weights.resize(num_partitions);
  for (size_t row = 0; row < parts.size(); ++row) {
    ++figures.nodes[parts[row]];
    figures.ends[parts[row]] += graph.row_ends[row + 1] - graph.row_ends[row];
    if (!weights.empty()) figures.weights[parts[row]] += weights[row];
  }
  comm.Sum(figures.nodes);
  comm.Sum(figures.ends);
  comm.Sum(figures.weights);
  // Both ends of an edge are counted.
  figures.edges = comm.Sum(static_cast<int64_t>(graph.neighbors.size())) / 2;
  figures.cut = comm.Sum(CountCutEnds(comm, graph, parts)) / 2;
  return figures;
}

double Balance(absl::Span<const int64_t> sums) {
  const auto total = static_cast<double>(
      std::accumulate(sums.begin(), sums.end(), int64_t{0}));
  if (total <= 0) return 1;
  const auto largest =
      static_cast<double>(*std::max_element(sums.begin(), sums.end()));
  return largest * static_cast<double>(sums.size()) / total;
}

}  // namespace tributary
