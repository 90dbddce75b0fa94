#include "trainer_client/graph/partition_book.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "common/text/status.h"

namespace tributary {
namespace {

absl::StatusOr<std::vector<int64_t>> ToHomogeneous(
    absl::Span<const int64_t> ids, int64_t begin, int64_t end,
    const std::string& type) {
  std::vector<int64_t> result;
  result.reserve(ids.size());
  for (int64_t id : ids) {
    if (id < 0 || id >= end - begin) {
      return absl::OutOfRangeError(absl::StrCat("id ", id, " of type ", type,
                                                "; ids are 0 to ", end - begin,
                                                " - 1"));
    }
    result.push_back(begin + id);
  }
  return result;
}

absl::StatusOr<TypedIds> ToTyped(absl::Span<const int64_t> ids,
                                 const std::vector<int64_t>& offsets) {
  TypedIds result;
  for (int64_t id : ids) {
    if (id < 0 || id >= offsets.back()) {
      return absl::OutOfRangeError(absl::StrCat(
          "homogeneous id ", id, "; ids are 0 to ", offsets.back(), " - 1"));
    }
    const auto next = std::upper_bound(offsets.begin(), offsets.end(), id);
    const auto type = static_cast<int>(next - offsets.begin()) - 1;
    result.types.push_back(type);
    result.ids.push_back(id - offsets[type]);
  }
  return result;
}

absl::Status CheckPartition(const GraphSchema& schema, uint32_t partition) {
  if (partition < schema.num_partitions) return absl::OkStatus();
  return absl::OutOfRangeError(absl::StrCat("there is no partition ", partition,
                                            "; the graph has 0 to ",
                                            schema.num_partitions - 1));
}

// All rows of a partition.
std::vector<PlacedRow> RowsOf(uint32_t partition, int64_t count) {
  std::vector<PlacedRow> rows(static_cast<size_t>(count));
  for (size_t i = 0; i < rows.size(); ++i) rows[i] = {partition, i};
  return rows;
}

absl::StatusOr<std::vector<int64_t>> ReadIds(const GraphLookups& lookups,
                                             const ColumnOfTable& column,
                                             absl::Span<const PlacedRow> rows) {
  std::vector<int64_t> ids(rows.size());
  RETURN_IF_ERROR(
      lookups.ReadColumn(column, rows,
                         absl::MakeSpan(reinterpret_cast<uint8_t*>(ids.data()),
                                        ids.size() * sizeof(int64_t))));
  return ids;
}

std::vector<uint32_t> PartitionsOf(absl::Span<const PlacedRow> rows) {
  std::vector<uint32_t> partitions;
  partitions.reserve(rows.size());
  for (const PlacedRow& row : rows) partitions.push_back(row.partition);
  return partitions;
}

}  // namespace

absl::StatusOr<int> ResolveNodeType(const GraphSchema& schema,
                                    const std::string& name) {
  if (name.empty() && schema.node_types.size() == 1) return 0;
  const int found = schema.FindNodeType(name);
  if (found >= 0 && !name.empty()) return found;
  return absl::InvalidArgumentError(absl::StrCat(
      "node type '", name, "'; allowed: ",
      absl::StrJoin(schema.node_types, " ",
                    [](std::string* out, const NodeTypeSchema& type) {
                      absl::StrAppend(out, type.name);
                    })));
}

absl::StatusOr<int> ResolveEdgeType(const GraphSchema& schema,
                                    const std::string& name) {
  std::vector<int> found;
  for (int t = 0; t < static_cast<int>(schema.edge_types.size()); ++t) {
    const EdgeTypeSchema& type = schema.edge_types[t];
    if (!schema.IsVisible(t)) continue;
    if (name.empty() || name == type.rel || name == type.name()) {
      found.push_back(t);
    }
  }
  if (found.size() == 1) return found[0];
  return absl::InvalidArgumentError(absl::StrCat(
      "edge type '", name, "'", found.size() > 1 ? " fits several" : "",
      "; allowed: ", schema.EdgeTypeNames()));
}

PartitionBook::PartitionBook(const GraphLookups* lookups) : lookups_(lookups) {
  node_offsets_ = {0};
  edge_offsets_ = {0};
  for (const NodeTypeSchema& type : schema().node_types) {
    ntypes_.push_back(type.name);
    node_offsets_.push_back(node_offsets_.back() + type.num_nodes);
  }
  for (int t = 0; t < static_cast<int>(schema().edge_types.size()); ++t) {
    if (!schema().IsVisible(t)) continue;
    visible_.push_back(t);
    etypes_.push_back(schema().edge_types[t].name());
    edge_offsets_.push_back(edge_offsets_.back() + EdgeIdsOf(t));
  }
}

int64_t PartitionBook::EdgeIdsOf(int edge_type) const {
  const EdgeTypeSchema& type = schema().edge_types[edge_type];
  return type.edge_index ? type.num_edge_ids : type.num_edges;
}

std::vector<PartitionMetadata> PartitionBook::Metadata() const {
  std::vector<PartitionMetadata> all(num_partitions());
  for (uint32_t p = 0; p < num_partitions(); ++p) {
    all[p].partition = p;
    for (const NodeTypeSchema& type : schema().node_types) {
      all[p].num_nodes.push_back(type.base[p + 1] - type.base[p]);
    }
    for (int t : visible_) {
      all[p].num_edges.push_back(schema().edge_types[t].partition_edges[p]);
    }
  }
  for (const PartitionOwner& owner : lookups_->connection().Owners()) {
    for (uint32_t p : owner.partitions) {
      if (p < all.size()) all[p].owners.push_back(owner.address);
    }
  }
  return all;
}

absl::StatusOr<std::vector<uint32_t>> PartitionBook::NodePartitions(
    absl::Span<const int64_t> ids, const std::string& node_type) const {
  ASSIGN_OR_RETURN(const int type, ResolveNodeType(schema(), node_type));
  ASSIGN_OR_RETURN(const auto rows, lookups_->LocateNodes(type, ids));
  return PartitionsOf(rows);
}

absl::StatusOr<std::vector<uint32_t>> PartitionBook::EdgePartitions(
    absl::Span<const int64_t> ids, const std::string& edge_type) const {
  ASSIGN_OR_RETURN(const int type, ResolveEdgeType(schema(), edge_type));
  ASSIGN_OR_RETURN(const auto rows, lookups_->LocateEdges(type, ids));
  return PartitionsOf(rows);
}

absl::StatusOr<std::vector<int64_t>> PartitionBook::NodesOf(
    uint32_t partition, const std::string& node_type) const {
  ASSIGN_OR_RETURN(const int type, ResolveNodeType(schema(), node_type));
  RETURN_IF_ERROR(CheckPartition(schema(), partition));
  const auto& base = schema().node_types[type].base;
  return ReadIds(*lookups_,
                 {.type = type,
                  .column = v1::STORED_COLUMN_ORIG_ID,
                  .row_bytes = sizeof(int64_t)},
                 RowsOf(partition, base[partition + 1] - base[partition]));
}

absl::StatusOr<std::vector<int64_t>> PartitionBook::EdgesOf(
    uint32_t partition, const std::string& edge_type) const {
  ASSIGN_OR_RETURN(const int type, ResolveEdgeType(schema(), edge_type));
  RETURN_IF_ERROR(CheckPartition(schema(), partition));
  ASSIGN_OR_RETURN(
      std::vector<int64_t> ids,
      ReadIds(*lookups_,
              {.of_edges = true,
               .type = type,
               .column = v1::STORED_COLUMN_EDGE_ID,
               .row_bytes = sizeof(int64_t)},
              RowsOf(partition,
                     schema().edge_types[type].partition_edges[partition])));
  std::sort(ids.begin(), ids.end());
  return ids;
}

absl::StatusOr<std::vector<int64_t>> PartitionBook::ToInternal(
    absl::Span<const int64_t> ids, const std::string& node_type) const {
  ASSIGN_OR_RETURN(const int type, ResolveNodeType(schema(), node_type));
  return lookups_->InternalIds(type, ids);
}

absl::StatusOr<std::vector<int64_t>> PartitionBook::ToOriginal(
    absl::Span<const int64_t> internal, const std::string& node_type) const {
  ASSIGN_OR_RETURN(const int type, ResolveNodeType(schema(), node_type));
  return lookups_->OriginalIds(type, internal);
}

absl::StatusOr<std::vector<int64_t>> PartitionBook::ToHomogeneousNodes(
    absl::Span<const int64_t> ids, const std::string& node_type) const {
  ASSIGN_OR_RETURN(const int type, ResolveNodeType(schema(), node_type));
  return ToHomogeneous(ids, node_offsets_[type], node_offsets_[type + 1],
                       ntypes_[type]);
}

absl::StatusOr<TypedIds> PartitionBook::ToTypedNodes(
    absl::Span<const int64_t> ids) const {
  return ToTyped(ids, node_offsets_);
}

absl::StatusOr<std::vector<int64_t>> PartitionBook::ToHomogeneousEdges(
    absl::Span<const int64_t> ids, const std::string& edge_type) const {
  ASSIGN_OR_RETURN(const int type, ResolveEdgeType(schema(), edge_type));
  const auto at = static_cast<size_t>(
      std::find(visible_.begin(), visible_.end(), type) - visible_.begin());
  return ToHomogeneous(ids, edge_offsets_[at], edge_offsets_[at + 1],
                       etypes_[at]);
}

absl::StatusOr<TypedIds> PartitionBook::ToTypedEdges(
    absl::Span<const int64_t> ids) const {
  return ToTyped(ids, edge_offsets_);
}

}  // namespace tributary
