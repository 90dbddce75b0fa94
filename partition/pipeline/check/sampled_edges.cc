#include "partition/pipeline/check/sampled_edges.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "absl/strings/str_cat.h"
#include "common/text/status.h"
#include "partition/pipeline/check/differs.h"

namespace tributary {
namespace {

std::string TypeText(const ColumnSchema* column) {
  if (column == nullptr) return "none";
  return absl::StrCat(std::string(column->type_name()), " of width ",
                      column->dim);
}

// Returns the original ids of a node type by internal id.
std::vector<int64_t> InvertNodeMap(const Graph& graph, int type) {
  const NodeTypeSchema& schema = graph.schema().node_types[type];
  std::vector<int64_t> original(static_cast<size_t>(schema.num_nodes), -1);
  for (int64_t node = 0; node < schema.num_nodes; ++node) {
    const auto at = graph.node_map(type).Locate(node);
    if (!at.ok()) continue;  // the node is then found nowhere
    const uint64_t internal =
        static_cast<uint64_t>(schema.base[at->partition]) + at->row;
    if (internal < original.size()) original[internal] = node;
  }
  return original;
}

}  // namespace

SampledEdges::SampledEdges(const Graph& graph, int edge_type,
                           const EdgeSource& input)
    : graph_(graph),
      type_(edge_type),
      schema_(graph.schema().edge_types[edge_type]),
      src_(graph.schema().node_types[schema_.src_type]),
      dst_(graph.schema().node_types[schema_.dst_type]),
      input_(input),
      weight_{schema_.weight_dtype, 0},
      time_{DType::kInt64, 0},
      mask_{DType::kBool, 0} {
  columns_ = {
      {"edge_attr", input.edge_attr.get(),
       schema_.edge_attr.has_value() ? &*schema_.edge_attr : nullptr,
       &EdgePartition::edge_attr},
      {"weight", input.weight.get(), schema_.weighted ? &weight_ : nullptr,
       &EdgePartition::weight},
      {"time", input.time.get(), schema_.timed ? &time_ : nullptr, nullptr}};
  for (size_t m = 0; m < schema_.masks.size(); ++m) {
    const auto same = input.masks.find(schema_.masks[m]);
    columns_.push_back(
        {"mask " + schema_.masks[m],
         same == input.masks.end() ? nullptr : same->second.get(), &mask_,
         nullptr, m + 1});
  }
  for (const auto& [name, column] : input.masks) {
    if (std::find(schema_.masks.begin(), schema_.masks.end(), name) ==
        schema_.masks.end()) {
      columns_.push_back({"mask " + name, column.get(), nullptr, nullptr});
    }
  }
  if (graph.partitions().size() < graph.schema().num_partitions) {
    original_ = InvertNodeMap(graph, schema_.src_type);
  }
}

int64_t SampledEdges::SourceAt(int64_t internal) const {
  if (!original_.empty()) return original_[static_cast<size_t>(internal)];
  const uint32_t p = src_.PartitionOf(internal);
  return graph_.nodes(schema_.src_type, p)->orig_id[internal - src_.base[p]];
}

absl::Status SampledEdges::CompareColumnTypes() const {
  for (const Column& column : columns_) {
    const ColumnSchema* input =
        column.input == nullptr ? nullptr : &column.input->schema();
    if (TypeText(column.graph) == TypeText(input)) continue;
    return Differs(absl::StrCat(column.name, " of ", schema_.name(), ": ",
                                TypeText(column.graph), " in the graph, ",
                                TypeText(input), " in the input"));
  }
  return absl::OkStatus();
}

std::string SampledEdges::Describe(int64_t from, int64_t to, int64_t id) const {
  return absl::StrCat(schema_.name(), ": edge ", id, " from ", from, " to ",
                      to);
}

absl::StatusOr<PlacedEdge> SampledEdges::EdgeAt(uint32_t partition,
                                                uint64_t row,
                                                uint64_t position) const {
  const EdgePartition& part = *graph_.edges(type_, partition);
  const uint64_t index = part.indices[position];
  if (index >= static_cast<uint64_t>(src_.num_nodes)) {
    return absl::DataLossError(absl::StrCat(
        "type ", schema_.name(), ", partition ", partition, ", row ", row,
        ": neighbour ", index, " of ", src_.num_nodes));
  }
  PlacedEdge edge;
  edge.from = SourceAt(static_cast<int64_t>(index));
  edge.to = graph_.nodes(schema_.dst_type, partition)->orig_id[row];
  edge.id = static_cast<int64_t>(part.edge_id[position]);
  edge.partition = partition;
  edge.row = row;
  edge.position = position;
  return edge;
}

absl::StatusOr<std::optional<PlacedEdge>> SampledEdges::FindFrom(
    int64_t from, int64_t to, int64_t id) const {
  ASSIGN_OR_RETURN(const NodeLocation at,
                   graph_.node_map(schema_.dst_type).Locate(to));
  const EdgePartition& part = *graph_.edges(type_, at.partition);
  if (at.row + 1 >= part.indptr.size()) {
    return absl::DataLossError(absl::StrCat("node_map has node ", to, " of ",
                                            dst_.name, " in row ", at.row,
                                            " of partition ", at.partition));
  }
  uint64_t low = part.indptr[at.row];
  const uint64_t end = part.indptr[at.row + 1];
  for (uint64_t high = end; low < high;) {
    const uint64_t middle = low + (high - low) / 2;
    ASSIGN_OR_RETURN(const PlacedEdge edge,
                     EdgeAt(at.partition, at.row, middle));
    if (std::pair(edge.from, edge.id) < std::pair(from, id)) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  if (low == end) return std::nullopt;
  ASSIGN_OR_RETURN(const PlacedEdge edge, EdgeAt(at.partition, at.row, low));
  if (edge.from != from || edge.to != to) return std::nullopt;
  return edge;
}

absl::StatusOr<int64_t> SampledEdges::ReadEnd(const tributary::Column& ends,
                                              int64_t row) const {
  int64_t end = 0;
  RETURN_IF_ERROR(ends.Read(row, 1, reinterpret_cast<uint8_t*>(&end)));
  return end;
}

absl::Status SampledEdges::CompareInputRow(int64_t row) const {
  ASSIGN_OR_RETURN(const int64_t from, ReadEnd(*input_.from, row));
  ASSIGN_OR_RETURN(const int64_t to, ReadEnd(*input_.to, row));
  if (!input_.add_reverse) return CompareOne(from, to, row, row);
  RETURN_IF_ERROR(CompareOne(from, to, 2 * row, row));
  return CompareOne(to, from, 2 * row + 1, row);
}

// With dedupe the first edge of these ends is kept.
absl::Status SampledEdges::CompareOne(int64_t from, int64_t to, int64_t id,
                                      int64_t row) const {
  ASSIGN_OR_RETURN(const NodeLocation at,
                   graph_.node_map(schema_.dst_type).Locate(to));
  if (graph_.edges(type_, at.partition) == nullptr) return absl::OkStatus();
  ASSIGN_OR_RETURN(const auto found,
                   FindFrom(from, to, input_.dedupe ? 0 : id));
  if (found.has_value() && found->id == id) return CompareColumns(*found, row);
  if (input_.dedupe && found.has_value() && found->id < id) {
    return absl::OkStatus();
  }
  return Differs(absl::StrCat(Describe(from, to, id), " (",
                              input_.from->Where(row),
                              ") is not in the graph"));
}

absl::Status SampledEdges::CompareGraphEdge(int64_t n) const {
  uint32_t p = 0;
  while (n >= schema_.partition_edges[p]) n -= schema_.partition_edges[p++];
  if (graph_.edges(type_, p) == nullptr) return absl::OkStatus();
  const auto position = static_cast<uint64_t>(n);
  const auto& indptr = graph_.edges(type_, p)->indptr;
  const auto after = std::upper_bound(indptr.begin(), indptr.end(), position);
  ASSIGN_OR_RETURN(
      const PlacedEdge edge,
      EdgeAt(p, static_cast<uint64_t>(after - indptr.begin()) - 1, position));
  const int64_t row = input_.add_reverse ? edge.id / 2 : edge.id;
  const std::string what = Describe(edge.from, edge.to, edge.id);
  if (row < 0 || row >= input_.num_rows()) {
    return Differs(absl::StrCat(what, " in the graph; the input has ",
                                input_.num_rows(), " rows"));
  }
  ASSIGN_OR_RETURN(int64_t from, ReadEnd(*input_.from, row));
  ASSIGN_OR_RETURN(int64_t to, ReadEnd(*input_.to, row));
  if (input_.add_reverse && edge.id % 2 == 1) std::swap(from, to);
  if (from == edge.from && to == edge.to) return absl::OkStatus();
  return Differs(absl::StrCat(what, " in the graph, from ", from, " to ", to,
                              " in the input (", input_.from->Where(row), ")"));
}

absl::StatusOr<std::vector<uint8_t>> SampledEdges::GraphValue(
    const Column& column, const PlacedEdge& e) const {
  const EdgePartition& part = *graph_.edges(type_, e.partition);
  const size_t bytes = column.graph->row_bytes();
  if (column.data != nullptr) {
    const auto row = (part.*column.data).subspan(e.position * bytes, bytes);
    return std::vector<uint8_t>(row.begin(), row.end());
  }
  if (column.mask > 0) {
    return std::vector<uint8_t>{part.masks[column.mask - 1][e.position]};
  }
  const uint64_t begin = part.indptr[e.row];
  for (uint64_t i = begin; i < part.indptr[e.row + 1]; ++i) {
    if (part.edge_time.position[i] != e.position - begin) continue;
    std::vector<uint8_t> time(bytes);
    std::memcpy(time.data(), &part.edge_time.time[i], bytes);
    return time;
  }
  return absl::DataLossError(absl::StrCat(
      "type ", schema_.name(), ", partition ", e.partition, ", row ", e.row,
      ": edge_time_position lacks position ", e.position - begin));
}

absl::Status SampledEdges::CompareColumns(const PlacedEdge& edge,
                                          int64_t row) const {
  for (const Column& column : columns_) {
    if (column.graph == nullptr) continue;
    std::vector<uint8_t> input(column.graph->row_bytes());
    RETURN_IF_ERROR(column.input->Read(row, 1, input.data()));
    ASSIGN_OR_RETURN(const std::vector<uint8_t> graph,
                     GraphValue(column, edge));
    if (graph == input) continue;
    return Differs(absl::StrCat(Describe(edge.from, edge.to, edge.id), ": ",
                                column.name, " (", column.input->Where(row),
                                ")"));
  }
  return absl::OkStatus();
}

}  // namespace tributary
