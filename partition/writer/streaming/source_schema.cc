#include "partition/writer/streaming/source_schema.h"

#include <string>
#include <utility>

#include "absl/algorithm/container.h"
#include "absl/strings/str_cat.h"
#include "absl/types/span.h"
#include "common/text/status.h"
#include "common/text/utf8.h"
#include "partition/writer/types_schema.h"

namespace tributary {
namespace {

absl::Status CheckRows(const ColumnPtr& column, int64_t wanted,
                       const std::string& what) {
  if (column == nullptr || column->num_rows() == wanted) {
    return absl::OkStatus();
  }
  return absl::InvalidArgumentError(absl::StrCat(
      what, " has ", column->num_rows(), " rows where there are ", wanted));
}

// Checks rows, and that there is one value per row, of one of `dtypes`.
absl::Status CheckValues(const ColumnPtr& column, int64_t wanted,
                         absl::Span<const DType> dtypes,
                         const std::string& what) {
  if (column == nullptr) return absl::OkStatus();
  RETURN_IF_ERROR(CheckRows(column, wanted, what));
  const ColumnSchema& schema = column->schema();
  if (schema.dim == 0 && absl::c_linear_search(dtypes, schema.dtype)) {
    return absl::OkStatus();
  }
  return absl::InvalidArgumentError(absl::StrCat(
      what, " is ", std::string(schema.type_name()), " of width ", schema.dim,
      "; allowed: one ", std::string(DTypeName(dtypes[0])),
      dtypes.size() == 1 ? "" : " or float64", " a row"));
}

absl::Status CheckNodes(const NodeSource& nodes) {
  RETURN_IF_ERROR(CheckRows(nodes.x, nodes.num_nodes, "x of " + nodes.name));
  RETURN_IF_ERROR(CheckRows(nodes.y, nodes.num_nodes, "y of " + nodes.name));
  return CheckValues(nodes.time, nodes.num_nodes, {DType::kInt64},
                     "time of " + nodes.name);
}

absl::Status CheckEdges(const EdgeSource& edges, const GraphSource& source) {
  const std::string of = " of " + edges.name();
  if (edges.from == nullptr || edges.to == nullptr) {
    return absl::InvalidArgumentError(absl::StrCat("no ends", of));
  }
  const int64_t rows = edges.num_rows();
  RETURN_IF_ERROR(
      CheckValues(edges.from, rows, {DType::kInt64}, "sources" + of));
  RETURN_IF_ERROR(
      CheckValues(edges.to, rows, {DType::kInt64}, "destinations" + of));
  RETURN_IF_ERROR(CheckRows(edges.edge_attr, rows, "edge_attr" + of));
  RETURN_IF_ERROR(CheckValues(
      edges.weight, rows, {DType::kFloat32, DType::kFloat64}, "weight" + of));
  RETURN_IF_ERROR(CheckValues(edges.time, rows, {DType::kInt64}, "time" + of));
  for (const auto& [name, column] : edges.masks) {
    RETURN_IF_ERROR(CheckValues(column, rows, {DType::kBool},
                                absl::StrCat("mask ", name, of)));
  }
  if (!edges.add_reverse || edges.src_type == edges.dst_type) {
    return absl::OkStatus();
  }
  return absl::InvalidArgumentError(absl::StrCat(
      edges.name(), " cannot have its edges both ways: its ends are of ",
      source.node_types[edges.src_type].name, " and ",
      source.node_types[edges.dst_type].name));
}

absl::Status CheckIds(const SplitSource& split, absl::Span<const int64_t> ids,
                      int64_t count, const std::string& what) {
  for (int64_t id : ids) {
    if (id >= 0 && id < count) continue;
    return absl::OutOfRangeError(absl::StrCat("split ", split.name, ": ", id,
                                              " is no ", what,
                                              "; allowed: 0 to ", count - 1));
  }
  return absl::OkStatus();
}

absl::Status CheckSplit(const SplitSource& split, const GraphSource& source) {
  for (const EdgeSource& edges : source.edge_types) {
    if (edges.name() != split.type) continue;
    const auto nodes = [&](int type) {
      return source.node_types[type].num_nodes;
    };
    RETURN_IF_ERROR(
        CheckIds(split, split.rows, edges.num_rows(), "row of " + split.type));
    RETURN_IF_ERROR(CheckIds(split, split.from, nodes(edges.src_type),
                             "node of type " + edges.src));
    RETURN_IF_ERROR(CheckIds(split, split.to, nodes(edges.dst_type),
                             "node of type " + edges.dst));
    if (split.from.size() == split.to.size() &&
        (split.rows.empty() || split.from.empty())) {
      return absl::OkStatus();
    }
    return absl::InvalidArgumentError(absl::StrCat(
        "split ", split.name, " of ", split.type, " has ", split.from.size(),
        " sources, ", split.to.size(), " destinations and ", split.rows.size(),
        " rows; allowed: pairs, or rows"));
  }
  for (const NodeSource& nodes : source.node_types) {
    if (nodes.name != split.type) continue;
    return CheckIds(split, split.nodes, nodes.num_nodes,
                    "node of type " + nodes.name);
  }
  return absl::InvalidArgumentError(
      absl::StrCat("split ", split.name, " is of no known type: ", split.type));
}

}  // namespace

absl::Status CheckSource(const GraphSource& source) {
  if (!IsUtf8(source.name)) {
    return absl::InvalidArgumentError(absl::StrCat(
        "the graph's name \"", source.name, "\" is no UTF-8; give --name"));
  }
  for (const NodeSource& nodes : source.node_types) {
    RETURN_IF_ERROR(CheckNodes(nodes));
  }
  for (const EdgeSource& edges : source.edge_types) {
    RETURN_IF_ERROR(CheckEdges(edges, source));
  }
  for (const SplitSource& split : source.splits) {
    RETURN_IF_ERROR(CheckSplit(split, source));
  }
  return absl::OkStatus();
}

GraphSchema SchemaOf(const GraphSource& source) {
  GraphSchema schema = SchemaOfTypes(source, [](const EdgeSource& edges) {
    return edges.num_rows() * (edges.add_reverse ? 2 : 1);
  });
  for (const SplitSource& split : source.splits) {
    SplitSchema entry{split.scheme, split.type, split.name,
                      static_cast<int64_t>(split.nodes.size())};
    if (entry.of_edges()) {
      entry.count = static_cast<int64_t>(split.rows.size() + split.from.size());
    }
    schema.splits.push_back(std::move(entry));
  }
  return schema;
}

}  // namespace tributary
