#include "partition/format/hot_cache.h"

#include <algorithm>
#include <cstring>
#include <optional>
#include <utility>

#include "absl/strings/str_cat.h"
#include "common/text/status.h"
#include "partition/format/array_reader.h"
#include "partition/format/hot_manifest.h"
#include "partition/format/paths.h"

namespace tributary {

// Loads one type after the other, and each array of each partition by itself,
// so that no more than one file is mapped beside the copy.
class HotCacheLoader {
 public:
  HotCacheLoader(const std::string& folder, const HotManifest& manifest,
                 const Graph& graph, const std::function<bool()>& cancelled)
      : folder_(HotFolderOf(folder)),
        manifest_(manifest),
        graph_(graph),
        cancelled_(cancelled) {}

  absl::StatusOr<std::shared_ptr<const HotCache>> Load() {
    auto cache = std::make_shared<HotCache>();
    const GraphSchema& schema = graph_.schema();
    for (size_t t = 0; t < schema.node_types.size(); ++t) {
      ASSIGN_OR_RETURN(auto nodes, LoadType(static_cast<int>(t)));
      if (nodes != nullptr) {
        cache->bytes_ += nodes->num_rows() * HotRowBytes(schema.node_types[t]) +
                         RowSet::BytesFor(static_cast<uint64_t>(
                             schema.node_types[t].num_nodes));
      }
      cache->nodes_.push_back(std::move(nodes));
    }
    return std::shared_ptr<const HotCache>(std::move(cache));
  }

 private:
  // The rows of one partition's cache and where they go: kNone, nowhere.
  using Places = std::vector<uint64_t>;

  absl::StatusOr<std::unique_ptr<HotNodes>> LoadType(int type);
  absl::StatusOr<std::vector<uint64_t>> ReadIds(uint32_t partition, int type,
                                                int64_t rows) const;
  absl::Status CopyColumn(uint32_t partition, int type, const char* name,
                          NpyType npy, const std::vector<int64_t>& shape,
                          const Places& places, AlignedBuffer& to) const;
  absl::Status CopyRows(uint32_t partition, int type, const Places& places,
                        HotNodes& nodes) const;
  bool IsMapped(const NodeTypeSchema& type, uint64_t internal_id) const {
    const std::vector<uint32_t>& mapped = graph_.partitions();
    return std::binary_search(
        mapped.begin(), mapped.end(),
        type.PartitionOf(static_cast<int64_t>(internal_id)));
  }

  const std::string folder_;
  const HotManifest& manifest_;
  const Graph& graph_;
  const std::function<bool()>& cancelled_;
};

absl::StatusOr<std::unique_ptr<HotNodes>> HotCacheLoader::LoadType(int type) {
  const NodeTypeSchema& schema = graph_.schema().node_types[type];
  auto nodes = std::make_unique<HotNodes>();
  nodes->rows_ = RowSet(static_cast<uint64_t>(schema.num_nodes));
  // The ids of each mapped partition's cache; those that are dropped are kNone.
  std::vector<std::pair<uint32_t, Places>> parts;
  for (const uint32_t partition : graph_.partitions()) {
    const int64_t rows = manifest_.RowsOf(partition, schema.name);
    if (rows == 0) continue;
    ASSIGN_OR_RETURN(Places ids, ReadIds(partition, type, rows));
    for (uint64_t& id : ids) {
      if (IsMapped(schema, id) || !nodes->rows_.Insert(id)) id = RowSet::kNone;
    }
    parts.emplace_back(partition, std::move(ids));
  }
  const uint64_t rows = nodes->rows_.Rank();
  if (rows == 0) return nullptr;
  nodes->orig_id_ = AlignedBuffer(rows * sizeof(int64_t));
  if (schema.x) nodes->x_ = AlignedBuffer(rows * schema.x->row_bytes());
  if (schema.y) nodes->y_ = AlignedBuffer(rows * schema.y->row_bytes());
  for (auto& [partition, places] : parts) {
    for (uint64_t& place : places) {
      if (place != RowSet::kNone) place = nodes->rows_.Find(place);
    }
    RETURN_IF_ERROR(CopyRows(partition, type, places, *nodes));
    Places().swap(places);
  }
  return nodes;
}

absl::StatusOr<std::vector<uint64_t>> HotCacheLoader::ReadIds(
    uint32_t partition, int type, int64_t rows) const {
  const NodeTypeSchema& schema = graph_.schema().node_types[type];
  const std::string path = HotArrayPath(partition, schema.name, "internal_id");
  ArrayReader reader(folder_, manifest_.files, /*verify=*/true, cancelled_,
                     kHotJson);
  ASSIGN_OR_RETURN(const MappedArray array,
                   reader.Read(path, {kNpyUint64}, {rows}));
  const auto ids = array.As<uint64_t>();
  std::vector<uint64_t> copy(ids.begin(), ids.end());
  RETURN_IF_ERROR(reader.damage()->status());
  for (size_t i = 0; i < copy.size(); ++i) {
    if (copy[i] < static_cast<uint64_t>(schema.num_nodes) &&
        (i == 0 || copy[i - 1] < copy[i])) {
      continue;
    }
    return absl::DataLossError(
        absl::StrCat(folder_, "/", path, ": row ", i, " is ", copy[i],
                     "; internal ids ascend and are below ", schema.num_nodes));
  }
  return copy;
}

absl::Status HotCacheLoader::CopyRows(uint32_t partition, int type,
                                      const Places& places,
                                      HotNodes& nodes) const {
  const NodeTypeSchema& schema = graph_.schema().node_types[type];
  const auto rows = static_cast<int64_t>(places.size());
  RETURN_IF_ERROR(CopyColumn(partition, type, "orig_id", kNpyInt64, {rows},
                             places, nodes.orig_id_));
  if (schema.x) {
    RETURN_IF_ERROR(CopyColumn(partition, type, "x", schema.x->array_type(),
                               schema.x->array_shape(rows), places, nodes.x_));
  }
  if (!schema.y) return absl::OkStatus();
  return CopyColumn(partition, type, "y", schema.y->array_type(),
                    schema.y->array_shape(rows), places, nodes.y_);
}

absl::Status HotCacheLoader::CopyColumn(uint32_t partition, int type,
                                        const char* name, NpyType npy,
                                        const std::vector<int64_t>& shape,
                                        const Places& places,
                                        AlignedBuffer& to) const {
  ArrayReader reader(folder_, manifest_.files, /*verify=*/true, cancelled_,
                     kHotJson);
  ASSIGN_OR_RETURN(
      const MappedArray array,
      reader.Read(
          HotArrayPath(partition, graph_.schema().node_types[type].name, name),
          {npy}, shape));
  const size_t row_bytes = array.data.size() / places.size();
  for (size_t i = 0; i < places.size(); ++i) {
    if (places[i] == RowSet::kNone) continue;
    std::memcpy(to.data() + places[i] * row_bytes,
                array.data.data() + i * row_bytes, row_bytes);
  }
  return reader.damage()->status();
}

absl::StatusOr<std::shared_ptr<const HotCache>> HotCache::Open(
    const std::string& folder, const Graph& graph,
    const std::function<bool()>& cancelled) {
  if (graph.partitions().size() == graph.schema().num_partitions) {
    return nullptr;
  }
  ASSIGN_OR_RETURN(const std::optional<HotManifest> manifest,
                   ReadHotManifest(folder, graph.schema()));
  if (!manifest.has_value()) return nullptr;
  return HotCacheLoader(folder, *manifest, graph, cancelled).Load();
}

uint64_t HotCache::num_rows() const {
  uint64_t rows = 0;
  for (const auto& nodes : nodes_) {
    if (nodes != nullptr) rows += nodes->num_rows();
  }
  return rows;
}

}  // namespace tributary
