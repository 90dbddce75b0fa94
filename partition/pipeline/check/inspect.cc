#include "partition/pipeline/check/inspect.h"

#include <algorithm>
#include <bit>
#include <numeric>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "common/text/status.h"
#include "partition/format/paths.h"

namespace tributary {
namespace {

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
    figures.partition_cut.push_back(cut);
    figures.cut_edges += cut;
  }
  figures.balance = BalanceOf(type.partition_edges);
  return figures;
}

std::optional<TimeRange> NodeTimes(const Graph& graph, int type) {
  std::optional<TimeRange> range;
  for (uint32_t p : graph.partitions()) {
    ExtendRange(range, graph.nodes(type, p)->time);
  }
  return range;
}

std::optional<DictionaryFigures> DictionaryOf(const GraphSchema& schema,
                                              const std::string& node_type) {
  std::optional<DictionaryFigures> figures;
  for (const char* array :
       {kExternalNumbers, kExternalOffsets, kExternalBytes}) {
    const std::string path = ExternalIdsPath(node_type, array);
    for (const FileSchema& file : schema.files) {
      if (file.path != path) continue;
      if (!figures.has_value()) figures.emplace();
      figures->texts |= path != ExternalIdsPath(node_type, kExternalNumbers);
      figures->bytes += file.bytes;
    }
  }
  return figures;
}

std::vector<int64_t> PartitionNodes(const NodeTypeSchema& type) {
  std::vector<int64_t> counts;
  for (size_t p = 0; p + 1 < type.base.size(); ++p) {
    counts.push_back(type.base[p + 1] - type.base[p]);
  }
  return counts;
}

absl::StatusOr<SplitFigures> InspectSplit(const Graph& graph,
                                          const SplitSchema& split) {
  const GraphSchema& schema = graph.schema();
  const int edge_type = split.of_edges() ? schema.FindEdgeType(split.type) : -1;
  const int node_type = split.of_edges() ? schema.edge_types[edge_type].dst_type
                                         : schema.FindNodeType(split.type);
  ASSIGN_OR_RETURN(const absl::Span<const int64_t> ids,
                   split.of_edges()
                       ? graph.EdgeSplit(edge_type, split.full_name())
                       : graph.Split(node_type, split.full_name()));
  // A node is its own id; an edge's destination is its second number.
  const size_t step = split.of_edges() ? kSplitEdgeNumbers : 1;
  SplitFigures figures;
  figures.partition_counts.resize(schema.num_partitions);
  for (size_t i = step / 2; i < ids.size(); i += step) {
    const auto at = graph.node_map(node_type).Locate(ids[i]);
    if (!at.ok()) {
      return absl::DataLossError(absl::StrCat("split ", split.full_name(),
                                              " of ", split.type, ": ",
                                              at.status().message()));
    }
    ++figures.partition_counts[at->partition];
  }
  figures.balance = BalanceOf(figures.partition_counts);
  return figures;
}

// Returns the number in "part-7/nodes/node/x.npy"; none for other paths.
std::optional<uint32_t> PartitionOf(absl::string_view path) {
  uint32_t partition = 0;
  if (!absl::ConsumePrefix(&path, "part-") ||
      !absl::SimpleAtoi(path.substr(0, path.find('/')), &partition)) {
    return std::nullopt;
  }
  return partition;
}

void AddPartitions(const GraphSchema& schema, GraphFigures& figures) {
  figures.partitions.resize(schema.num_partitions);
  for (uint32_t p = 0; p < schema.num_partitions; ++p) {
    PartitionFigures& part = figures.partitions[p];
    for (const NodeTypeSchema& type : schema.node_types) {
      part.nodes += type.base[p + 1] - type.base[p];
    }
    for (size_t t = 0; t < schema.edge_types.size(); ++t) {
      if (!schema.IsVisible(static_cast<int>(t))) continue;
      part.edges += schema.edge_types[t].partition_edges[p];
      part.cut_edges += figures.edge_types[t].partition_cut[p];
    }
  }
  for (const FileSchema& file : schema.files) {
    const auto p = PartitionOf(file.path);
    if (p.has_value() && *p < schema.num_partitions) {
      figures.partitions[*p].bytes += file.bytes;
    }
  }
}

// Returns "x" for "part-0/nodes/node/x.npy". All files below splits/ are one
// kind, as are those below node_map/, and those below ids/.
std::string KindOf(absl::string_view path) {
  for (absl::string_view folder : {"splits", "node_map", "ids"}) {
    if (absl::StartsWith(path, absl::StrCat(folder, "/"))) {
      return std::string(folder);
    }
  }
  const size_t slash = path.rfind('/');
  return std::string(absl::StripSuffix(path.substr(slash + 1), ".npy"));
}

}  // namespace

double BalanceOf(const std::vector<int64_t>& counts) {
  const int64_t total =
      std::accumulate(counts.begin(), counts.end(), int64_t{0});
  if (total == 0) return 1;
  const int64_t most = *std::max_element(counts.begin(), counts.end());
  return static_cast<double>(most) * static_cast<double>(counts.size()) /
         static_cast<double>(total);
}

PartitionTotals TotalsOf(const GraphFigures& figures) {
  PartitionTotals totals;
  std::vector<int64_t> nodes, edges, bytes;
  for (const PartitionFigures& part : figures.partitions) {
    nodes.push_back(part.nodes);
    edges.push_back(part.edges);
    bytes.push_back(static_cast<int64_t>(part.bytes));
    totals.edges += part.edges;
    totals.cut_edges += part.cut_edges;
  }
  totals.node_balance = BalanceOf(nodes);
  totals.edge_balance = BalanceOf(edges);
  totals.byte_balance = BalanceOf(bytes);
  return totals;
}

absl::StatusOr<GraphFigures> InspectGraph(const Graph& graph) {
  GraphFigures figures;
  for (size_t t = 0; t < graph.schema().node_types.size(); ++t) {
    const NodeTypeSchema& type = graph.schema().node_types[t];
    figures.node_types.push_back({BalanceOf(PartitionNodes(type)),
                                  NodeTimes(graph, static_cast<int>(t)),
                                  DictionaryOf(graph.schema(), type.name)});
  }
  for (size_t t = 0; t < graph.schema().edge_types.size(); ++t) {
    ASSIGN_OR_RETURN(EdgeTypeFigures edges,
                     InspectEdges(graph, static_cast<int>(t)));
    figures.edge_types.push_back(std::move(edges));
  }
  for (const SplitSchema& split : graph.schema().splits) {
    ASSIGN_OR_RETURN(SplitFigures counts, InspectSplit(graph, split));
    figures.splits.push_back(std::move(counts));
  }
  AddPartitions(graph.schema(), figures);
  for (const FileSchema& file : graph.schema().files) {
    figures.bytes[KindOf(file.path)] += file.bytes;
  }
  return figures;
}

}  // namespace tributary
