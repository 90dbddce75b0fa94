#include "partition/format/content.h"

#include "absl/strings/str_cat.h"
#include "common/status.h"
#include "common/utf8.h"

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

// At least as many rows as the largest edge id needs.
absl::Status CheckEdgeAttr(const EdgeContent& type) {
  const Adjacency& edges = type.in_edges;
  if (type.edge_attr == nullptr || edges.num_edges() == 0) {
    return absl::OkStatus();
  }
  int64_t needed = edges.num_edges();
  if (type.attr_by == EdgeContent::AttrBy::kEdgeId) {
    needed = edges.max_edge_id() + 1;
  } else if (type.attr_by == EdgeContent::AttrBy::kHalfEdgeId) {
    needed = edges.max_edge_id() / 2 + 1;
  }
  if (type.edge_attr->num_rows() >= needed) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat("edge_attr of ", type.name(), " has ",
                   type.edge_attr->num_rows(), " rows; edges need ", needed));
}

absl::Status CheckSplitIds(const SplitContent& split,
                           const GraphContent& content) {
  for (const NodeContent& type : content.node_types) {
    if (type.name != split.node_type) continue;
    for (int64_t id : split.ids) {
      if (id >= 0 && id < type.num_nodes) continue;
      return absl::OutOfRangeError(
          absl::StrCat("split ", split.name, ": ", id, " is no node of type ",
                       type.name, "; ids are 0 to ", type.num_nodes, " - 1"));
    }
    return absl::OkStatus();
  }
  return absl::InvalidArgumentError(absl::StrCat(
      "split ", split.name, " is of no known node type: ", split.node_type));
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
    RETURN_IF_ERROR(CheckRows(type.x, type.num_nodes, "x of " + type.name));
    RETURN_IF_ERROR(CheckRows(type.y, type.num_nodes, "y of " + type.name));
  }
  for (const EdgeContent& type : content.edge_types) {
    const int64_t num_dst = content.node_types[type.dst_type].num_nodes;
    if (type.in_edges.num_nodes() != num_dst) {
      return absl::InvalidArgumentError(absl::StrCat(
          "edges of ", type.name(), " end at ", type.in_edges.num_nodes(),
          " nodes; there are ", num_dst));
    }
    RETURN_IF_ERROR(CheckEdgeAttr(type));
  }
  for (const SplitContent& split : content.splits) {
    RETURN_IF_ERROR(CheckSplitIds(split, content));
  }
  return absl::OkStatus();
}

}  // namespace tributary
