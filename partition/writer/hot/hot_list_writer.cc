#include "partition/writer/hot/hot_list_writer.h"

#include <algorithm>
#include <limits>
#include <numeric>
#include <tuple>
#include <utility>

#include "absl/strings/str_cat.h"
#include "common/hash/crc32c.h"
#include "common/io/atomic_folder.h"
#include "common/io/file_writer.h"
#include "common/runtime/cancel_token.h"
#include "common/text/status.h"
#include "partition/format/hot_lists.h"
#include "partition/format/hot_manifest.h"
#include "partition/format/paths.h"
#include "partition/schema/hot_list_json.h"
#include "partition/writer/array_writer.h"

namespace tributary {
namespace {

constexpr size_t kRowsAtOnce = 4096;

absl::Status CheckName(const std::string& name) {
  const auto allowed = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
           (c >= '0' && c <= '9') || c == '.' || c == '_' || c == '-';
  };
  if (!name.empty() && name.size() <= 64 && name[0] != '.' &&
      std::all_of(name.begin(), name.end(), allowed)) {
    return absl::OkStatus();
  }
  return absl::InvalidArgumentError(
      absl::StrCat("a hot list's name of ", name.size(),
                   " bytes; allowed: 1 to 64 letters, "
                   "digits, '_', '-' and, but at its beginning, '.'"));
}

bool IsListed(const NodeTypeSchema& type) {
  return (type.x.has_value() || type.y.has_value()) && type.num_nodes > 0 &&
         type.num_nodes < std::numeric_limits<uint32_t>::max();
}

// The rows of one node type, of all partitions.
class TypeOrder {
 public:
  TypeOrder(const Graph& graph, int type, absl::Span<const uint32_t> counts)
      : graph_(graph),
        type_(type),
        schema_(graph.schema().node_types[type]),
        num_nodes_(static_cast<size_t>(schema_.num_nodes)) {
    ReadIds();
    CountEdges();
    Sort(counts);
  }

  // By rank: internal ids.
  const std::vector<uint32_t>& by_rank() const { return by_rank_; }
  int64_t id(uint32_t internal) const { return ids_[internal]; }

  // The CRC32C of each row as it is stored, by internal id.
  absl::StatusOr<std::vector<uint32_t>> Crcs() const {
    std::vector<uint32_t> crcs(num_nodes_, 0);
    for (uint32_t p = 0; p < graph_.schema().num_partitions; ++p) {
      const NodePartition& nodes = *graph_.nodes(type_, p);
      for (size_t at = 0; at < nodes.orig_id.size(); at += kRowsAtOnce) {
        const size_t n = std::min(kRowsAtOnce, nodes.orig_id.size() - at);
        uint32_t* const out =
            crcs.data() + static_cast<size_t>(schema_.base[p]) + at;
        RETURN_IF_ERROR(AddX(nodes, at, n, out));
        AddColumn(nodes.y, schema_.y, at, n, out);
      }
    }
    return crcs;
  }

 private:
  void ReadIds() {
    ids_.reserve(num_nodes_);
    for (uint32_t p = 0; p < graph_.schema().num_partitions; ++p) {
      const auto ids = graph_.nodes(type_, p)->orig_id;
      ids_.insert(ids_.end(), ids.begin(), ids.end());
    }
  }

  void CountEdges() {
    degrees_.resize(num_nodes_);
    const auto& types = graph_.schema().edge_types;
    for (size_t e = 0; e < types.size(); ++e) {
      if (types[e].src_type != type_) continue;
      for (uint32_t p = 0; p < graph_.schema().num_partitions; ++p) {
        const IdArray& sources = graph_.edges(static_cast<int>(e), p)->indices;
        for (size_t i = 0; i < sources.size(); ++i) Count(sources[i]);
      }
    }
  }

  // A full counter stays full.
  void Count(uint64_t internal) {
    if (internal >= num_nodes_) return;  // of a damaged file
    degrees_[internal] += degrees_[internal] != UINT32_MAX ? 1 : 0;
  }

  void Sort(absl::Span<const uint32_t> counts) {
    by_rank_.resize(num_nodes_);
    std::iota(by_rank_.begin(), by_rank_.end(), 0u);
    const auto key = [&](uint32_t internal) {
      const auto id = ids_[internal];
      const uint32_t count =
          counts.empty() ? 0 : counts[static_cast<size_t>(id)];
      return std::tuple(~count, ~degrees_[internal], id);
    };
    std::sort(by_rank_.begin(), by_rank_.end(),
              [&](uint32_t a, uint32_t b) { return key(a) < key(b); });
  }

  absl::Status AddX(const NodePartition& nodes, size_t at, size_t n,
                    uint32_t* crcs) const {
    if (nodes.x_file == nullptr) {
      AddColumn(nodes.x, schema_.x, at, n, crcs);
      return absl::OkStatus();
    }
    std::vector<uint8_t> bytes(n * nodes.x_file->row_bytes());
    std::vector<uint64_t> rows(n);
    std::iota(rows.begin(), rows.end(), at);
    std::vector<uint32_t> order(n);
    std::iota(order.begin(), order.end(), 0u);
    RowPlaces places;
    places.rows = rows;
    places.out = bytes.data();
    RETURN_IF_ERROR(nodes.x_file->Read(places, order, CancelToken()).status());
    AddColumn(bytes, schema_.x, 0, n, crcs);
    return absl::OkStatus();
  }

  static void AddColumn(absl::Span<const uint8_t> column,
                        const std::optional<ColumnSchema>& schema, size_t at,
                        size_t n, uint32_t* crcs) {
    if (!schema.has_value()) return;
    const size_t row = schema->row_bytes();
    for (size_t i = 0; i < n; ++i) {
      crcs[i] = ExtendCrc32c(crcs[i], column.subspan((at + i) * row, row));
    }
  }

  const Graph& graph_;
  const int type_;
  const NodeTypeSchema& schema_;
  const size_t num_nodes_;
  std::vector<int64_t> ids_;       // by internal id
  std::vector<uint32_t> degrees_;  // likewise
  std::vector<uint32_t> by_rank_;
};

class ListWriter {
 public:
  ListWriter(const Graph& graph, AtomicFolder folder)
      : graph_(graph), folder_(std::move(folder)) {
    manifest_.layout_digest = graph.schema().layout_digest;
    json_.content_digest = graph.schema().content_digest;
  }

  absl::Status Add(int type, absl::Span<const uint32_t> counts) {
    const std::string& name = graph_.schema().node_types[type].name;
    const TypeOrder order(graph_, type, counts);
    const std::vector<uint32_t>& by_rank = order.by_rank();
    HotListType listed{name, static_cast<int64_t>(by_rank.size()), {}, {}};
    {
      std::vector<int64_t> ids;
      ids.reserve(by_rank.size());
      for (const uint32_t internal : by_rank) ids.push_back(order.id(internal));
      RETURN_IF_ERROR(WriteArray<int64_t>(name, "order", kNpyInt64, ids));
      ASSIGN_OR_RETURN(listed.order_blocks,
                       WriteBlocks<int64_t>(name, "order.blocks", ids));
    }
    std::vector<uint32_t> values(by_rank.size());
    for (size_t rank = 0; rank < by_rank.size(); ++rank) {
      values[by_rank[rank]] = static_cast<uint32_t>(rank);
    }
    RETURN_IF_ERROR(WriteArray<uint32_t>(name, "rank", kNpyUint32, values));
    ASSIGN_OR_RETURN(const std::vector<uint32_t> crcs, order.Crcs());
    for (size_t rank = 0; rank < by_rank.size(); ++rank) {
      values[rank] = crcs[by_rank[rank]];
    }
    RETURN_IF_ERROR(WriteArray<uint32_t>(name, "crc", kNpyUint32, values));
    ASSIGN_OR_RETURN(listed.crc_blocks,
                     WriteBlocks<uint32_t>(name, "crc.blocks", values));
    json_.node_types.push_back(std::move(listed));
    return absl::OkStatus();
  }

  absl::StatusOr<Sha256Digest> Commit(const std::string& made_by, bool flush) {
    RETURN_IF_ERROR(graph_.damage());
    const std::string json = json_.ToJson();
    RETURN_IF_ERROR(WriteText(kHotListJson, json));
    manifest_.made_by = made_by;
    std::sort(manifest_.files.begin(), manifest_.files.end(),
              [](const FileSchema& a, const FileSchema& b) {
                return a.path < b.path;
              });
    RETURN_IF_ERROR(WriteText(kHotJson, manifest_.ToJson()));
    RETURN_IF_ERROR(folder_.Commit(flush));
    return Sha256Of(json);
  }

 private:
  template <typename T>
  absl::Status WriteArray(const std::string& type, const char* array,
                          NpyType npy, absl::Span<const T> values,
                          std::vector<int64_t> shape = {}) {
    if (shape.empty()) shape = {static_cast<int64_t>(values.size())};
    const std::string relative = HotListArrayPath(type, array);
    ASSIGN_OR_RETURN(const std::string path, folder_.PathFor(relative));
    ASSIGN_OR_RETURN(ArrayWriter out, ArrayWriter::Create(path, npy, shape));
    for (const T value : values) out.Push(value);
    RETURN_IF_ERROR(out.Finish());
    manifest_.files.push_back({relative, out.file_bytes(), out.crc32c()});
    return absl::OkStatus();
  }

  // Writes the digests of an array's blocks, and returns that of the digests.
  template <typename T>
  absl::StatusOr<Sha256Digest> WriteBlocks(const std::string& type,
                                           const char* array,
                                           absl::Span<const T> values) {
    std::vector<uint8_t> digests;
    for (size_t at = 0; at < values.size(); at += kHotListBlockRows) {
      const auto block = values.subspan(at, kHotListBlockRows);
      const Sha256Digest digest = Sha256Of(absl::Span<const uint8_t>(
          reinterpret_cast<const uint8_t*>(block.data()),
          block.size() * sizeof(T)));
      digests.insert(digests.end(), digest.begin(), digest.end());
    }
    constexpr auto kDigestBytes = static_cast<int64_t>(sizeof(Sha256Digest));
    RETURN_IF_ERROR(WriteArray<uint8_t>(
        type, array, kNpyUint8, digests,
        {static_cast<int64_t>(digests.size()) / kDigestBytes, kDigestBytes}));
    return Sha256Of(absl::Span<const uint8_t>(digests));
  }

  absl::Status WriteText(const char* relative, const std::string& text) {
    ASSIGN_OR_RETURN(const std::string path, folder_.PathFor(relative));
    ASSIGN_OR_RETURN(FileWriter file, FileWriter::Create(path));
    RETURN_IF_ERROR(file.Append(text));
    RETURN_IF_ERROR(file.Close());
    if (std::string(relative) == kHotJson) return absl::OkStatus();
    manifest_.files.push_back({relative, file.bytes_written(), file.crc32c()});
    return absl::OkStatus();
  }

  const Graph& graph_;
  AtomicFolder folder_;
  HotManifest manifest_;
  HotListJson json_;
};

}  // namespace

absl::StatusOr<Sha256Digest> WriteHotList(const Graph& graph,
                                          const HotListRequest& request) {
  RETURN_IF_ERROR(CheckName(request.name));
  ASSIGN_OR_RETURN(
      AtomicFolder folder,
      AtomicFolder::Create(HotListFolder(request.folder, request.name),
                           ExistingFolder::kReplace));
  ListWriter writer(graph, std::move(folder));
  const auto& types = graph.schema().node_types;
  for (size_t t = 0; t < types.size(); ++t) {
    if (!IsListed(types[t])) continue;
    RETURN_IF_ERROR(
        writer.Add(static_cast<int>(t), request.counts.empty()
                                            ? absl::Span<const uint32_t>()
                                            : request.counts[t]));
  }
  return writer.Commit(request.made_by, request.flush);
}

}  // namespace tributary
