#include "trainer_client/graph/graph_data.h"

#include <algorithm>
#include <set>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "common/text/status.h"
#include "partition/schema/feature_columns.h"

namespace tributary {
namespace {

constexpr absl::string_view kMaskSuffix = "_mask";

GraphRows RowsOf(DType dtype, int64_t dim, size_t num_rows) {
  const size_t width = dim == 0 ? 1 : static_cast<size_t>(dim);
  GraphRows rows{dtype, dim, num_rows, {}};
  rows.data = AlignedBuffer(num_rows * width * DTypeSize(dtype));
  return rows;
}

}  // namespace

std::string GraphData::TypeName() const {
  const GraphSchema& schema = lookups_->schema();
  return of_edges_ ? schema.edge_types[type_].name()
                   : schema.node_types[type_].name;
}

int64_t GraphData::num_rows() const {
  const GraphSchema& schema = lookups_->schema();
  if (!of_edges_) return schema.node_types[type_].num_nodes;
  const EdgeTypeSchema& type = schema.edge_types[type_];
  return type.edge_index ? type.num_edge_ids : type.num_edges;
}

bool GraphData::FindNodeColumn(const std::string& name,
                               StoredColumn* found) const {
  const NodeTypeSchema& type = lookups_->schema().node_types[type_];
  const auto set = [&](v1::StoredColumn column, const ColumnSchema& stored) {
    const ColumnSchema read = InBatch(stored, FeatureDType::kStored);
    *found = {{.type = type_, .column = column, .row_bytes = read.row_bytes()},
              read.dtype,
              read.dim};
    return true;
  };
  if ((name == "x" || name == "feat") && type.x.has_value()) {
    return set(v1::STORED_COLUMN_X, *type.x);
  }
  if ((name == "y" || name == "label") && type.y.has_value()) {
    return set(v1::STORED_COLUMN_Y, *type.y);
  }
  if (name == "time" && type.timed) {
    return set(v1::STORED_COLUMN_TIME, {DType::kInt64, 0});
  }
  return false;
}

bool GraphData::FindEdgeColumn(const std::string& name,
                               StoredColumn* found) const {
  const EdgeTypeSchema& type = lookups_->schema().edge_types[type_];
  const auto set = [&](v1::StoredColumn column, const ColumnSchema& stored,
                       std::string mask = "") {
    const ColumnSchema read = InBatch(stored, FeatureDType::kStored);
    *found = {{.of_edges = true,
               .type = type_,
               .column = column,
               .mask = std::move(mask),
               .row_bytes = read.row_bytes()},
              read.dtype,
              read.dim};
    return true;
  };
  if (std::find(type.masks.begin(), type.masks.end(), name) !=
      type.masks.end()) {
    return set(v1::STORED_COLUMN_MASK, {DType::kBool, 0}, name);
  }
  if ((name == "edge_attr" || name == "feat" || name == "x") &&
      type.edge_attr.has_value()) {
    return set(v1::STORED_COLUMN_EDGE_ATTR, *type.edge_attr);
  }
  if ((name == "weight" || name == "w") && type.weighted) {
    return set(v1::STORED_COLUMN_WEIGHT, {type.weight_dtype, 0});
  }
  if (name == "time" && type.timed) {
    return set(v1::STORED_COLUMN_TIME, {DType::kInt64, 0});
  }
  if (name == "id") return set(v1::STORED_COLUMN_EDGE_ID, {DType::kInt64, 0});
  return false;
}

bool GraphData::FindStored(const std::string& name, StoredColumn* found) const {
  return of_edges_ ? FindEdgeColumn(name, found) : FindNodeColumn(name, found);
}

std::string GraphData::SplitOf(const std::string& name) const {
  if (!absl::EndsWith(name, kMaskSuffix)) return "";
  const std::string split = name.substr(0, name.size() - kMaskSuffix.size());
  return lookups_->schema().FindSplit(TypeName(), split).ok() ? split : "";
}

std::vector<std::string> GraphData::Names() const {
  std::set<std::string> names;
  StoredColumn column;
  for (const char* name : {"x", "y", "time"}) {
    if (!of_edges_ && FindStored(name, &column)) names.insert(name);
  }
  for (const char* name : {"edge_attr", "weight", "time", "id"}) {
    if (of_edges_ && FindStored(name, &column)) names.insert(name);
  }
  if (of_edges_) {
    const auto& masks = lookups_->schema().edge_types[type_].masks;
    names.insert(masks.begin(), masks.end());
  }
  for (const SplitSchema& split : lookups_->schema().splits) {
    if (split.type != TypeName()) continue;
    names.insert(absl::StrCat(split.full_name(), kMaskSuffix));
  }
  MutexLock lock(mutex_);
  for (const auto& [name, tensor] : tensors_) names.insert(name);
  return {names.begin(), names.end()};
}

absl::Status GraphData::NoColumn(const std::string& name) const {
  return absl::NotFoundError(
      absl::StrCat(TypeName(), " has no column '", name,
                   "'; there are: ", absl::StrJoin(Names(), " ")));
}

absl::StatusOr<ColumnSchema> GraphData::ColumnOf(
    const std::string& name) const {
  StoredColumn column;
  if (FindStored(name, &column)) return ColumnSchema{column.dtype, column.dim};
  if (!SplitOf(name).empty()) return ColumnSchema{DType::kUint8, 0};
  const DistTensor* const tensor = Tensor(name);
  if (tensor == nullptr) return NoColumn(name);
  return ColumnSchema{tensor->options().dtype, tensor->options().dim};
}

absl::Status GraphData::CheckIds(absl::Span<const int64_t> ids) const {
  for (int64_t id : ids) {
    if (id >= 0 && id < num_rows()) continue;
    return absl::OutOfRangeError(absl::StrCat(
        "there is no ", of_edges_ ? "edge " : "node ", id, " of type ",
        TypeName(), "; ids are 0 to ", num_rows(), " - 1"));
  }
  return absl::OkStatus();
}

absl::StatusOr<GraphRows> GraphData::ReadStored(
    const StoredColumn& column, absl::Span<const int64_t> ids) const {
  std::vector<PlacedRow> rows;
  if (of_edges_) {
    ASSIGN_OR_RETURN(rows, lookups_->LocateEdges(type_, ids));
  } else {
    ASSIGN_OR_RETURN(rows, lookups_->LocateNodes(type_, ids));
  }
  GraphRows result = RowsOf(column.dtype, column.dim, ids.size());
  RETURN_IF_ERROR(lookups_->ReadColumn(column.of, rows, result.data.span()));
  return result;
}

absl::StatusOr<std::shared_ptr<const GraphData::Mask>> GraphData::MaskOf(
    const std::string& split) const {
  {
    MutexLock lock(mutex_);
    const auto known = masks_.find(split);
    if (known != masks_.end()) return known->second;
  }
  ASSIGN_OR_RETURN(const auto ids,
                   lookups_->connection().Split(TypeName(), split));
  const size_t step = of_edges_ ? kSplitEdgeNumbers : 1;
  auto mask = std::make_shared<Mask>(static_cast<size_t>(num_rows()), false);
  for (size_t i = step - 1; i < ids.size(); i += step) {
    if (of_edges_ && ids[i] < 0) continue;  // the graph has no such edge
    const auto id = static_cast<uint64_t>(ids[i]);
    if (id >= mask->size()) {
      return absl::FailedPreconditionError(absl::StrCat(
          "split ", split, " has ", TypeName(), " ", ids[i],
          "; masks of edges need a graph partitioned with --edge-index where "
          "edges were dropped"));
    }
    (*mask)[id] = true;
  }
  MutexLock lock(mutex_);
  return masks_.emplace(split, std::move(mask)).first->second;
}

absl::StatusOr<GraphRows> GraphData::ReadMask(
    const std::string& split, absl::Span<const int64_t> ids) const {
  RETURN_IF_ERROR(CheckIds(ids));
  ASSIGN_OR_RETURN(const auto mask, MaskOf(split));
  GraphRows rows = RowsOf(DType::kUint8, 0, ids.size());
  for (size_t i = 0; i < ids.size(); ++i) {
    rows.data.data()[i] = (*mask)[static_cast<size_t>(ids[i])] ? 1 : 0;
  }
  return rows;
}

absl::StatusOr<GraphRows> GraphData::Read(const std::string& name,
                                          absl::Span<const int64_t> ids) const {
  StoredColumn column;
  if (FindStored(name, &column)) return ReadStored(column, ids);
  if (const std::string split = SplitOf(name); !split.empty()) {
    return ReadMask(split, ids);
  }
  DistTensor* const tensor = Tensor(name);
  if (tensor == nullptr) return NoColumn(name);
  GraphRows rows =
      RowsOf(tensor->options().dtype, tensor->options().dim, ids.size());
  RETURN_IF_ERROR(tensor->Read(ids, rows.data.span()));
  return rows;
}

absl::Status GraphData::Assign(const std::string& name, DistTensor* tensor) {
  StoredColumn column;
  if (FindStored(name, &column) || !SplitOf(name).empty()) {
    return absl::FailedPreconditionError(
        absl::StrCat("'", name, "' is a stored column of ", TypeName(),
                     ", which is read-only; allowed: another name"));
  }
  if (tensor->options().num_rows != num_rows()) {
    return absl::InvalidArgumentError(absl::StrCat(
        "tensor '", tensor->name(), "' has ", tensor->options().num_rows,
        " rows; ", TypeName(), " has ", num_rows()));
  }
  MutexLock lock(mutex_);
  tensors_[name] = tensor;
  return absl::OkStatus();
}

absl::Status GraphData::Remove(const std::string& name) {
  MutexLock lock(mutex_);
  if (tensors_.erase(name) > 0) return absl::OkStatus();
  return absl::NotFoundError(
      absl::StrCat(TypeName(), " has no tensor '", name, "'"));
}

DistTensor* GraphData::Tensor(const std::string& name) const {
  MutexLock lock(mutex_);
  const auto found = tensors_.find(name);
  return found == tensors_.end() ? nullptr : found->second;
}

}  // namespace tributary
