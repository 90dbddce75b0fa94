#include "partition/pipeline/check/inspect.h"

#include <algorithm>
#include <bit>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "common/text/status.h"

namespace tributary {
namespace {

double Balance(const std::vector<int64_t>& counts, int64_t total) {
  if (total == 0) return 1;
  const int64_t most = *std::max_element(counts.begin(), counts.end());
  return static_cast<double>(most) * static_cast<double>(counts.size()) /
         static_cast<double>(total);
}

void CountDegrees(const EdgePartition& edges, EdgeTypeFigures& figures) {
  for (size_t row = 0; row + 1 < edges.indptr.size(); ++row) {
    const uint64_t degree = edges.indptr[row + 1] - edges.indptr[row];
    const auto bucket = static_cast<size_t>(std::bit_width(degree));
    if (figures.degree_histogram.size() <= bucket) {
      figures.degree_histogram.resize(bucket + 1);
    }
    ++figures.degree_histogram[bucket];
    figures.max_degree = std::max(figures.max_degree, degree);
  }
}

// Considers every time, since the order is not trusted here.
void ExtendRange(std::optional<TimeRange>& range,
                 absl::Span<const int64_t> times) {
  if (times.empty()) return;
  const auto [first, last] = std::minmax_element(times.begin(), times.end());
  if (!range.has_value()) range = TimeRange{*first, *last};
  range->first = std::min(range->first, *first);
  range->last = std::max(range->last, *last);
}

uint64_t CountRowsOfZeroWeight(const EdgePartition& edges) {
  uint64_t count = 0;
  for (size_t row = 0; row + 1 < edges.indptr.size(); ++row) {
    const uint64_t end = edges.indptr[row + 1];
    count += end > edges.indptr[row] && edges.weight_sum[end - 1] == 0;
  }
  return count;
}

absl::StatusOr<uint64_t> CountCutEdges(const EdgePartition& edges,
                                       const NodeTypeSchema& src, uint32_t p) {
  const auto begin = static_cast<uint64_t>(src.base[p]);
  const auto end = static_cast<uint64_t>(src.base[p + 1]);
  uint64_t cut = 0;
  for (size_t i = 0; i < edges.indices.size(); ++i) {
    const uint64_t index = edges.indices[i];
    if (index >= static_cast<uint64_t>(src.num_nodes)) {
      return absl::DataLossError(absl::StrCat("partition ", p, ", edge ", i,
                                              ": neighbour ", index, " of ",
                                              src.num_nodes));
    }
    cut += index < begin || index >= end;
  }
  return cut;
}

absl::StatusOr<EdgeTypeFigures> InspectEdges(const Graph& graph, int t) {
  const EdgeTypeSchema& type = graph.schema().edge_types[t];
  EdgeTypeFigures figures;
  figures.masked.resize(type.masks.size());
  for (uint32_t p : graph.partitions()) {
    const EdgePartition& edges = *graph.edges(t, p);
    CountDegrees(edges, figures);
    if (type.weighted) figures.massless_rows += CountRowsOfZeroWeight(edges);
    ExtendRange(figures.time, edges.edge_time.time);
    for (size_t m = 0; m < edges.masks.size(); ++m) {
      const auto& mask = edges.masks[m];
      figures.masked[m] +=
          mask.size() - std::count(mask.begin(), mask.end(), 0);
    }
    ASSIGN_OR_RETURN(
        const uint64_t cut,
        CountCutEdges(edges, graph.schema().node_types[type.src_type], p));
    figures.cut_edges += cut;
  }
  figures.balance = Balance(type.partition_edges, type.num_edges);
  return figures;
}

std::optional<TimeRange> NodeTimes(const Graph& graph, int type) {
  std::optional<TimeRange> range;
  for (uint32_t p : graph.partitions()) {
    ExtendRange(range, graph.nodes(type, p)->time);
  }
  return range;
}

double NodeBalance(const NodeTypeSchema& type) {
  std::vector<int64_t> counts;
  for (size_t p = 0; p + 1 < type.base.size(); ++p) {
    counts.push_back(type.base[p + 1] - type.base[p]);
  }
  return Balance(counts, type.num_nodes);
}

// Returns "x" for "part-0/nodes/node/x.npy". All files below splits/ are one
// kind, as are those below node_map/.
std::string KindOf(absl::string_view path) {
  for (absl::string_view folder : {"splits", "node_map"}) {
    if (absl::StartsWith(path, absl::StrCat(folder, "/"))) {
      return std::string(folder);
    }
  }
  const size_t slash = path.rfind('/');
  return std::string(absl::StripSuffix(path.substr(slash + 1), ".npy"));
}

}  // namespace

absl::StatusOr<GraphFigures> InspectGraph(const Graph& graph) {
  GraphFigures figures;
  for (size_t t = 0; t < graph.schema().node_types.size(); ++t) {
    figures.node_types.push_back({NodeBalance(graph.schema().node_types[t]),
                                  NodeTimes(graph, static_cast<int>(t))});
  }
  for (size_t t = 0; t < graph.schema().edge_types.size(); ++t) {
    ASSIGN_OR_RETURN(EdgeTypeFigures edges,
                     InspectEdges(graph, static_cast<int>(t)));
    figures.edge_types.push_back(std::move(edges));
  }
  for (const FileSchema& file : graph.schema().files) {
    figures.bytes[KindOf(file.path)] += file.bytes;
  }
  return figures;
}

}  // namespace tributary
