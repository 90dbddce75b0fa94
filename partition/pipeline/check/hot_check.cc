#include "partition/pipeline/check/hot_check.h"

#include <algorithm>
#include <cstring>
#include <numeric>
#include <optional>
#include <vector>

#include "absl/strings/str_cat.h"
#include "common/text/status.h"
#include "partition/format/array_reader.h"
#include "partition/format/graph.h"
#include "partition/format/graph_json.h"
#include "partition/format/hot_manifest.h"
#include "partition/format/paths.h"

namespace tributary {
namespace {

constexpr size_t kRowsAtOnce = 4096;

// Checks the rows of one type in one partition's cache.
class HotRowsCheck {
 public:
  HotRowsCheck(const std::string& folder, const HotManifest& manifest,
               const Graph& graph, const HotRowsSchema& rows)
      : folder_(HotFolderOf(folder)),
        graph_(graph),
        rows_(rows),
        type_(graph.schema().FindNodeType(rows.node_type)),
        schema_(graph.schema().node_types[type_]),
        reader_(
            folder_, manifest.files, /*verify=*/true, [] { return false; },
            kHotJson) {}

  // Adds the rows to `verified`.
  absl::Status Run(HotRowsVerified& verified) {
    ASSIGN_OR_RETURN(const MappedArray ids,
                     Read("internal_id", kNpyUint64, {rows_.rows}));
    RETURN_IF_ERROR(CheckIds(ids.As<uint64_t>()));
    ASSIGN_OR_RETURN(const MappedArray orig,
                     Read("orig_id", kNpyInt64, {rows_.rows}));
    RETURN_IF_ERROR(Compare("orig_id", ids.As<uint64_t>(), orig.data));
    RETURN_IF_ERROR(CheckColumn("x", schema_.x, ids.As<uint64_t>()));
    RETURN_IF_ERROR(CheckColumn("y", schema_.y, ids.As<uint64_t>()));
    verified.rows += ids.As<uint64_t>().size();
    for (const uint64_t id : ids.As<uint64_t>()) {
      verified.compared += OwnerIsHere(id) ? 1 : 0;
    }
    RETURN_IF_ERROR(reader_.damage()->status());
    return graph_.damage();
  }

 private:
  bool OwnerIsHere(uint64_t id) const {
    const uint32_t owner = schema_.PartitionOf(static_cast<int64_t>(id));
    return graph_.nodes(type_, owner) != nullptr;
  }
  std::string PathOf(const std::string& array) const {
    return HotArrayPath(rows_.partition, rows_.node_type, array);
  }
  absl::StatusOr<MappedArray> Read(const std::string& array, NpyType npy,
                                   const std::vector<int64_t>& shape) {
    return reader_.Read(PathOf(array), {npy}, shape);
  }
  absl::Status HotArrayError(const std::string& array,
                             const std::string& what) const {
    return absl::DataLossError(
        absl::StrCat(folder_, "/", PathOf(array), ": ", what));
  }

  absl::Status CheckIds(absl::Span<const uint64_t> ids) const {
    for (size_t i = 0; i < ids.size(); ++i) {
      if (ids[i] >= static_cast<uint64_t>(schema_.num_nodes) ||
          (i > 0 && ids[i] <= ids[i - 1])) {
        return HotArrayError(
            "internal_id",
            absl::StrCat("row ", i, " is ", ids[i],
                         "; ids ascend and are below ", schema_.num_nodes));
      }
      if (schema_.PartitionOf(static_cast<int64_t>(ids[i])) !=
          rows_.partition) {
        continue;
      }
      return HotArrayError("internal_id",
                           absl::StrCat("row ", i, " is ", ids[i],
                                        ", a node of this partition itself"));
    }
    return absl::OkStatus();
  }

  absl::Status CheckColumn(const std::string& name,
                           const std::optional<ColumnSchema>& column,
                           absl::Span<const uint64_t> ids) {
    if (!column.has_value()) return absl::OkStatus();
    ASSIGN_OR_RETURN(
        const MappedArray cached,
        Read(name, column->array_type(), column->array_shape(rows_.rows)));
    return Compare(name, ids, cached.data);
  }

  absl::Status Compare(const std::string& name, absl::Span<const uint64_t> ids,
                       absl::Span<const uint8_t> cached) const {
    const size_t row_bytes = cached.size() / ids.size();
    std::vector<uint8_t> owners(row_bytes * kRowsAtOnce);
    for (size_t at = 0; at < ids.size(); at += kRowsAtOnce) {
      const auto piece = ids.subspan(at, kRowsAtOnce);
      RETURN_IF_ERROR(ReadOwners(name, piece, row_bytes, owners.data()));
      for (size_t i = 0; i < piece.size(); ++i) {
        if (!OwnerIsHere(piece[i]) ||
            std::memcmp(owners.data() + i * row_bytes,
                        cached.data() + (at + i) * row_bytes, row_bytes) == 0) {
          continue;
        }
        return HotArrayError(
            name,
            absl::StrCat("row ", at + i, " is not that of node ", piece[i],
                         " in partition ",
                         schema_.PartitionOf(static_cast<int64_t>(piece[i]))));
      }
    }
    return absl::OkStatus();
  }

  // Copies to `out` the rows of owners that are here. Ids ascend, so those of
  // a partition lie together.
  absl::Status ReadOwners(const std::string& name,
                          absl::Span<const uint64_t> ids, size_t row_bytes,
                          uint8_t* out) const {
    for (size_t from = 0; from < ids.size();) {
      const uint32_t owner =
          schema_.PartitionOf(static_cast<int64_t>(ids[from]));
      const auto base = static_cast<uint64_t>(schema_.base[owner]);
      const auto end = static_cast<uint64_t>(schema_.base[owner + 1]);
      std::vector<uint64_t> rows;
      while (from + rows.size() < ids.size() && ids[from + rows.size()] < end) {
        rows.push_back(ids[from + rows.size()] - base);
      }
      if (const NodePartition* nodes = graph_.nodes(type_, owner)) {
        RETURN_IF_ERROR(
            ReadRows(name, *nodes, rows, row_bytes, out + from * row_bytes));
      }
      from += rows.size();
    }
    return absl::OkStatus();
  }

  static absl::Status ReadRows(const std::string& name,
                               const NodePartition& owner,
                               const std::vector<uint64_t>& rows,
                               size_t row_bytes, uint8_t* out) {
    if (name == "x") {
      std::vector<uint32_t> order(rows.size());
      std::iota(order.begin(), order.end(), 0u);
      RowPlaces places;
      places.rows = rows;
      places.out = out;
      return owner.x_file->Read(places, order, CancelToken()).status();
    }
    const auto* column =
        name == "y" ? owner.y.data()
                    : reinterpret_cast<const uint8_t*>(owner.orig_id.data());
    for (size_t i = 0; i < rows.size(); ++i) {
      std::memcpy(out + i * row_bytes, column + rows[i] * row_bytes, row_bytes);
    }
    return absl::OkStatus();
  }

  const std::string folder_;
  const Graph& graph_;
  const HotRowsSchema& rows_;
  const int type_;
  const NodeTypeSchema& schema_;
  ArrayReader reader_;
};

// Checks that hot.json lists no file that none of its rows has.
absl::Status CheckListing(const std::string& folder,
                          const HotManifest& manifest,
                          const GraphSchema& schema) {
  size_t files = 0;
  for (const HotRowsSchema& rows : manifest.rows) {
    const NodeTypeSchema& type =
        schema.node_types[schema.FindNodeType(rows.node_type)];
    if (rows.rows == 0) continue;
    files += 2 + (type.x.has_value() ? 1 : 0) + (type.y.has_value() ? 1 : 0);
  }
  if (files == manifest.files.size()) return absl::OkStatus();
  return absl::DataLossError(absl::StrCat(HotFolderOf(folder), "/", kHotJson,
                                          ": it lists ", manifest.files.size(),
                                          " files; its rows are in ", files));
}

}  // namespace

absl::StatusOr<HotRowsVerified> VerifyHotCache(
    const std::string& folder, const PartitionChoice& partitions) {
  ASSIGN_OR_RETURN(const GraphSchema schema, ReadGraphJson(folder));
  OpenOptions options;
  options.partitions = partitions.Of(schema.num_partitions);
  options.features = FeatureMemory::kPaged;
  ASSIGN_OR_RETURN(const auto graph, Graph::Open(folder, options));
  ASSIGN_OR_RETURN(const std::optional<HotManifest> manifest,
                   ReadHotManifest(folder, graph->schema()));
  HotRowsVerified verified;
  if (!manifest.has_value()) return verified;
  RETURN_IF_ERROR(CheckListing(folder, *manifest, graph->schema()));
  const std::vector<uint32_t>& held = graph->partitions();
  for (const HotRowsSchema& rows : manifest->rows) {
    if (rows.rows == 0 ||
        !std::binary_search(held.begin(), held.end(), rows.partition)) {
      continue;
    }
    RETURN_IF_ERROR(
        HotRowsCheck(folder, *manifest, *graph, rows).Run(verified));
  }
  return verified;
}

}  // namespace tributary
