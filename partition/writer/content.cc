#include "partition/writer/content.h"

#include "absl/algorithm/container.h"
#include "absl/strings/str_cat.h"
#include "absl/types/span.h"
#include "common/runtime/parallel_for.h"
#include "common/text/status.h"
#include "common/text/utf8.h"
#include "partition/writer/edge_columns.h"
#include "partition/writer/row_order.h"

namespace tributary {
namespace {

absl::Status CheckRows(const std::shared_ptr<const RowSource>& rows,
                       int64_t wanted, const std::string& what) {
  if (rows == nullptr || rows->num_rows() == wanted ||
      rows->schema().row_bytes() == 0) {
    return absl::OkStatus();
  }
  return absl::InvalidArgumentError(absl::StrCat(
      what, " has ", rows->num_rows(), " rows where there are ", wanted));
}

// Checks that the column has one value per row, of one of `dtypes`.
absl::Status CheckValues(const std::shared_ptr<const RowSource>& rows,
                         absl::Span<const DType> dtypes,
                         const std::string& what) {
  if (rows == nullptr) return absl::OkStatus();
  const ColumnSchema& schema = rows->schema();
  if (schema.dim == 0 && absl::c_linear_search(dtypes, schema.dtype)) {
    return absl::OkStatus();
  }
  return absl::InvalidArgumentError(absl::StrCat(
      what, " is ", std::string(schema.type_name()), " of width ", schema.dim,
      "; allowed: one ", std::string(DTypeName(dtypes[0])),
      dtypes.size() == 1 ? "" : " or float64", " a row"));
}

// Checks that the column has at least as many rows as the largest edge id
// needs.
absl::Status CheckEdgeRows(const EdgeContent& type,
                           const std::shared_ptr<const RowSource>& rows,
                           absl::string_view what) {
  const Adjacency& edges = type.in_edges;
  if (rows == nullptr || edges.num_edges() == 0) return absl::OkStatus();
  int64_t needed = edges.num_edges();
  if (type.attr_by == EdgeContent::AttrBy::kEdgeId) {
    needed = edges.max_edge_id() + 1;
  } else if (type.attr_by == EdgeContent::AttrBy::kHalfEdgeId) {
    needed = edges.max_edge_id() / 2 + 1;
  }
  if (rows->num_rows() >= needed) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat(what, " of ", type.name(),
                                                 " has ", rows->num_rows(),
                                                 " rows; edges need ", needed));
}

// Checks the weights of the edges into `node`.
absl::Status CheckWeightsInto(const EdgeContent& type, int64_t node,
                              std::vector<double>& weights) {
  const Adjacency& edges = type.in_edges;
  const uint64_t begin = edges.indptr()[node], degree = edges.degree(node);
  if (degree > kMaxWeightedDegree) {
    return absl::OutOfRangeError(
        absl::StrCat("node ", node, " has ", degree, " weighted in-edges of ",
                     type.name(), "; allowed: up to ", kMaxWeightedDegree));
  }
  ReadWeights(type, begin, begin + degree, weights);
  for (uint64_t i = 0; i < degree; ++i) {
    if (IsWeight(weights[i])) continue;
    return absl::OutOfRangeError(absl::StrCat(
        "weight ", weights[i], " of edge ", edges.edge(begin + i).edge_id,
        " of ", type.name(), "; allowed: finite, not negative"));
  }
  return absl::OkStatus();
}

absl::Status CheckWeights(const EdgeContent& type) {
  constexpr size_t kGrain = 8192;
  if (type.weight == nullptr) return absl::OkStatus();
  return ParallelFor(static_cast<size_t>(type.in_edges.num_nodes()), kGrain,
                     [&](size_t begin, size_t end) {
                       std::vector<double> weights;
                       for (size_t v = begin; v < end; ++v) {
                         RETURN_IF_ERROR(CheckWeightsInto(
                             type, static_cast<int64_t>(v), weights));
                       }
                       return absl::OkStatus();
                     });
}

absl::Status CheckNodeType(const NodeContent& type) {
  RETURN_IF_ERROR(CheckRows(type.x, type.num_nodes, "x of " + type.name));
  RETURN_IF_ERROR(CheckRows(type.y, type.num_nodes, "y of " + type.name));
  RETURN_IF_ERROR(CheckRows(type.time, type.num_nodes, "time of " + type.name));
  return CheckValues(type.time, {DType::kInt64}, "time of " + type.name);
}

absl::Status CheckEdgeType(const EdgeContent& type, int64_t num_dst) {
  if (type.in_edges.num_nodes() != num_dst) {
    return absl::InvalidArgumentError(
        absl::StrCat("edges of ", type.name(), " end at ",
                     type.in_edges.num_nodes(), " nodes; there are ", num_dst));
  }
  RETURN_IF_ERROR(CheckEdgeRows(type, type.edge_attr, "edge_attr"));
  RETURN_IF_ERROR(CheckValues(type.weight, {DType::kFloat32, DType::kFloat64},
                              "weight of " + type.name()));
  RETURN_IF_ERROR(CheckEdgeRows(type, type.weight, "weight"));
  RETURN_IF_ERROR(
      CheckValues(type.time, {DType::kInt64}, "time of " + type.name()));
  RETURN_IF_ERROR(CheckEdgeRows(type, type.time, "time"));
  for (const auto& [name, rows] : type.masks) {
    const std::string mask = "mask " + name;
    RETURN_IF_ERROR(
        CheckValues(rows, {DType::kBool}, mask + " of " + type.name()));
    RETURN_IF_ERROR(CheckEdgeRows(type, rows, mask));
  }
  return CheckWeights(type);
}

absl::Status CheckSplitNode(const SplitContent& split, int64_t id,
                            const NodeContent& type) {
  if (id >= 0 && id < type.num_nodes) return absl::OkStatus();
  return absl::OutOfRangeError(
      absl::StrCat("split ", split.name, ": ", id, " is no node of type ",
                   type.name, "; ids are 0 to ", type.num_nodes, " - 1"));
}

absl::Status CheckSplitEdges(const SplitContent& split,
                             const GraphContent& content,
                             const EdgeContent& type) {
  const std::vector<int64_t>& ids = split.ids;
  if (ids.size() % kSplitEdgeNumbers != 0) {
    return absl::InvalidArgumentError(
        absl::StrCat("split ", split.name, " of ", type.name(), " has ",
                     ids.size(), " numbers, not three an edge"));
  }
  for (size_t i = 0; i < ids.size(); i += kSplitEdgeNumbers) {
    RETURN_IF_ERROR(
        CheckSplitNode(split, ids[i], content.node_types[type.src_type]));
    RETURN_IF_ERROR(
        CheckSplitNode(split, ids[i + 1], content.node_types[type.dst_type]));
    if (ids[i + 2] >= -1) continue;
    return absl::OutOfRangeError(
        absl::StrCat("split ", split.name, ": ", ids[i + 2],
                     " is no edge id; allowed: -1 (none) and above"));
  }
  return absl::OkStatus();
}

absl::Status CheckSplitIds(const SplitContent& split,
                           const GraphContent& content) {
  for (const EdgeContent& type : content.edge_types) {
    if (type.name() != split.type) continue;
    return CheckSplitEdges(split, content, type);
  }
  for (const NodeContent& type : content.node_types) {
    if (type.name != split.type) continue;
    for (int64_t id : split.ids) {
      RETURN_IF_ERROR(CheckSplitNode(split, id, type));
    }
    return absl::OkStatus();
  }
  return absl::InvalidArgumentError(
      absl::StrCat("split ", split.name, " is of no known type: ", split.type));
}

}  // namespace

int64_t EdgeContent::AttrRow(uint64_t position) const {
  switch (attr_by) {
    case AttrBy::kEdgeId:
      return in_edges.edge(position).edge_id;
    case AttrBy::kHalfEdgeId:
      return in_edges.edge(position).edge_id >> 1;
    case AttrBy::kPosition:
      break;
  }
  return static_cast<int64_t>(position);
}

absl::Status CheckContent(const GraphContent& content) {
  if (!IsUtf8(content.name)) {
    return absl::InvalidArgumentError(absl::StrCat(
        "the graph's name \"", content.name, "\" is no UTF-8; give --name"));
  }
  for (const NodeContent& type : content.node_types) {
    RETURN_IF_ERROR(CheckNodeType(type));
  }
  for (const EdgeContent& type : content.edge_types) {
    RETURN_IF_ERROR(
        CheckEdgeType(type, content.node_types[type.dst_type].num_nodes));
  }
  for (const SplitContent& split : content.splits) {
    RETURN_IF_ERROR(CheckSplitIds(split, content));
  }
  return absl::OkStatus();
}

}  // namespace tributary
