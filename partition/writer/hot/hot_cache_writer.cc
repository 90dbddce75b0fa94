#include "partition/writer/hot/hot_cache_writer.h"

#include <algorithm>
#include <cstring>
#include <numeric>
#include <optional>
#include <vector>

#include "common/io/file_writer.h"
#include "common/runtime/cancel_token.h"
#include "common/text/status.h"
#include "partition/format/paths.h"
#include "partition/writer/array_writer.h"

namespace tributary {
namespace {

constexpr size_t kRowsAtOnce = 4096;

// Rows of one partition among ids that ascend.
struct PartitionRows {
  uint32_t partition = 0;
  std::vector<uint64_t> rows;
};

// Returns the rows of each partition in turn.
std::vector<PartitionRows> ByPartition(const NodeTypeSchema& type,
                                       absl::Span<const uint64_t> ids) {
  std::vector<PartitionRows> groups;
  for (const uint64_t id : ids) {
    const uint32_t partition = type.PartitionOf(static_cast<int64_t>(id));
    if (groups.empty() || groups.back().partition != partition) {
      groups.push_back({partition, {}});
    }
    groups.back().rows.push_back(id -
                                 static_cast<uint64_t>(type.base[partition]));
  }
  return groups;
}

// Appends the rows of x, which is in a file that is not mapped.
absl::Status ReadX(const RowFile& file, absl::Span<const uint64_t> rows,
                   ArrayWriter& out) {
  std::vector<uint32_t> order(rows.size());
  std::iota(order.begin(), order.end(), 0u);
  RowPlaces places;
  places.rows = rows;
  places.out = out.Extend(rows.size() * file.row_bytes());
  return file.Read(places, order, CancelToken()).status();
}

void CopyRows(absl::Span<const uint8_t> column, size_t row_bytes,
              absl::Span<const uint64_t> rows, ArrayWriter& out) {
  for (const uint64_t row : rows) {
    std::memcpy(out.Extend(row_bytes), column.data() + row * row_bytes,
                row_bytes);
  }
}

}  // namespace

absl::StatusOr<HotCacheWriter> HotCacheWriter::Create(
    const std::string& folder, std::shared_ptr<const Graph> graph) {
  if (graph == nullptr) {
    OpenOptions options;
    options.features = FeatureMemory::kPaged;
    ASSIGN_OR_RETURN(graph, Graph::Open(folder, options));
  }
  ASSIGN_OR_RETURN(
      AtomicFolder hot,
      AtomicFolder::Create(HotFolderOf(folder), ExistingFolder::kReplace));
  HotCacheWriter writer(std::move(graph), std::move(hot));
  writer.manifest_.layout_digest = writer.graph_->schema().layout_digest;
  return writer;
}

template <typename Fill>
absl::Status HotCacheWriter::WriteArray(uint32_t partition, int node_type,
                                        const char* name, NpyType npy,
                                        const std::vector<int64_t>& shape,
                                        absl::Span<const uint64_t> ids,
                                        Fill fill) {
  const NodeTypeSchema& type = graph_->schema().node_types[node_type];
  const std::string relative = HotArrayPath(partition, type.name, name);
  ASSIGN_OR_RETURN(const std::string path, folder_.PathFor(relative));
  ASSIGN_OR_RETURN(ArrayWriter out, ArrayWriter::Create(path, npy, shape));
  for (size_t at = 0; at < ids.size(); at += kRowsAtOnce) {
    const auto piece = ids.subspan(at, kRowsAtOnce);
    for (const PartitionRows& group : ByPartition(type, piece)) {
      RETURN_IF_ERROR(fill(*graph_->nodes(node_type, group.partition),
                           absl::MakeConstSpan(group.rows), out));
    }
  }
  RETURN_IF_ERROR(out.Finish());
  manifest_.files.push_back({relative, out.file_bytes(), out.crc32c()});
  return absl::OkStatus();
}

absl::Status HotCacheWriter::Add(uint32_t partition, int node_type,
                                 absl::Span<const uint64_t> internal_ids) {
  if (internal_ids.empty()) return absl::OkStatus();
  const NodeTypeSchema& type = graph_->schema().node_types[node_type];
  const auto rows = static_cast<int64_t>(internal_ids.size());
  using Rows = absl::Span<const uint64_t>;
  {
    const std::string relative =
        HotArrayPath(partition, type.name, "internal_id");
    ASSIGN_OR_RETURN(const std::string path, folder_.PathFor(relative));
    ASSIGN_OR_RETURN(ArrayWriter out,
                     ArrayWriter::Create(path, kNpyUint64, {rows}));
    for (const uint64_t id : internal_ids) out.Push(id);
    RETURN_IF_ERROR(out.Finish());
    manifest_.files.push_back({relative, out.file_bytes(), out.crc32c()});
  }
  RETURN_IF_ERROR(WriteArray(
      partition, node_type, "orig_id", kNpyInt64, {rows}, internal_ids,
      [](const NodePartition& from, Rows of, ArrayWriter& out) {
        for (const uint64_t row : of) out.Push(from.orig_id[row]);
        return absl::OkStatus();
      }));
  if (type.x.has_value()) {
    RETURN_IF_ERROR(
        WriteArray(partition, node_type, "x", type.x->array_type(),
                   type.x->array_shape(rows), internal_ids,
                   [](const NodePartition& from, Rows of, ArrayWriter& out) {
                     return ReadX(*from.x_file, of, out);
                   }));
  }
  if (type.y.has_value()) {
    const size_t row_bytes = type.y->row_bytes();
    RETURN_IF_ERROR(WriteArray(
        partition, node_type, "y", type.y->array_type(),
        type.y->array_shape(rows), internal_ids,
        [row_bytes](const NodePartition& from, Rows of, ArrayWriter& out) {
          CopyRows(from.y, row_bytes, of, out);
          return absl::OkStatus();
        }));
  }
  manifest_.rows.push_back({partition, type.name, rows});
  return absl::OkStatus();
}

absl::StatusOr<HotManifest> HotCacheWriter::Commit(std::string made_by,
                                                   bool flush) {
  RETURN_IF_ERROR(graph_->damage());
  manifest_.made_by = std::move(made_by);
  std::sort(
      manifest_.files.begin(), manifest_.files.end(),
      [](const FileSchema& a, const FileSchema& b) { return a.path < b.path; });
  ASSIGN_OR_RETURN(const std::string path, folder_.PathFor(kHotJson));
  ASSIGN_OR_RETURN(FileWriter file, FileWriter::Create(path));
  RETURN_IF_ERROR(file.Append(manifest_.ToJson()));
  RETURN_IF_ERROR(file.Close());
  RETURN_IF_ERROR(folder_.Commit(flush));
  return manifest_;
}

}  // namespace tributary
