#include "partition/writer/hot/hot_list_writer.h"

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <system_error>
#include <utility>

#include "absl/strings/str_cat.h"
#include "common/io/atomic_folder.h"
#include "common/io/file_writer.h"
#include "common/tensor/npy.h"
#include "common/text/status.h"
#include "partition/format/hot_lists.h"
#include "partition/format/hot_manifest.h"
#include "partition/format/paths.h"
#include "partition/schema/hot_list_json.h"
#include "partition/writer/array_writer.h"
#include "partition/writer/hot/node_ranking.h"

namespace tributary {
namespace {

// The headers of a type's arrays, and the two texts' part of it.
constexpr uint64_t kBytesBesideRows = 2048;

// The buffers of an array and of a piece of the features.
constexpr uint64_t kBufferBytes = uint64_t{6} << 20;

// Files below a temporary folder, and the list of them.
class ListFiles {
 public:
  explicit ListFiles(AtomicFolder folder) : folder_(std::move(folder)) {}

  // Creates an array. `relative` is its path in the list's folder.
  absl::StatusOr<ArrayWriter> Create(const std::string& relative, NpyType npy,
                                     absl::Span<const int64_t> shape) {
    ASSIGN_OR_RETURN(const std::string path, folder_.PathFor(relative));
    return ArrayWriter::Create(path, npy, shape);
  }
  absl::Status Finish(const std::string& relative, ArrayWriter& array) {
    RETURN_IF_ERROR(array.Finish());
    files_.push_back({relative, array.file_bytes(), array.crc32c()});
    return absl::OkStatus();
  }
  absl::Status WriteText(const char* relative, const std::string& text) {
    ASSIGN_OR_RETURN(const std::string path, folder_.PathFor(relative));
    ASSIGN_OR_RETURN(FileWriter file, FileWriter::Create(path));
    RETURN_IF_ERROR(file.Append(text));
    RETURN_IF_ERROR(file.Close());
    files_.push_back({relative, file.bytes_written(), file.crc32c()});
    return absl::OkStatus();
  }
  // Returns the files so far, ascending by path.
  std::vector<FileSchema> Sorted() const {
    std::vector<FileSchema> files = files_;
    std::sort(files.begin(), files.end(),
              [](const FileSchema& a, const FileSchema& b) {
                return a.path < b.path;
              });
    return files;
  }
  absl::Status Commit(bool flush) { return folder_.Commit(flush); }

 private:
  AtomicFolder folder_;
  std::vector<FileSchema> files_;
};

// Writes the arrays of one node type after the other.
class ListWriter {
 public:
  ListWriter(const Graph& graph, AtomicFolder folder)
      : graph_(graph), files_(std::move(folder)) {
    json_.content_digest = graph.schema().content_digest;
  }

  absl::Status Add(int type, absl::Span<const uint32_t> counts) {
    ASSIGN_OR_RETURN(NodeRanking ranking,
                     NodeRanking::Make(graph_, type, counts));
    HotListType& listed = json_.node_types.emplace_back();
    listed.name = graph_.schema().node_types[type].name;
    listed.rows = static_cast<int64_t>(ranking.size());
    ASSIGN_OR_RETURN(
        listed.order_blocks,
        WriteByRank<int64_t>(listed, "order", kNpyInt64,
                             [&](size_t rank) { return ranking.IdAt(rank); }));
    RETURN_IF_ERROR(WriteRanks(type, ranking));
    RETURN_IF_ERROR(ranking.ReadCrcs());
    ASSIGN_OR_RETURN(
        listed.crc_blocks,
        WriteByRank<uint32_t>(listed, "crc", kNpyUint32, [&](size_t rank) {
          return ranking.CrcAt(rank);
        }));
    return absl::OkStatus();
  }

  absl::StatusOr<Sha256Digest> Commit(const std::string& made_by, bool flush) {
    RETURN_IF_ERROR(graph_.damage());
    std::sort(json_.node_types.begin(), json_.node_types.end(),
              [](const HotListType& a, const HotListType& b) {
                return a.name < b.name;
              });
    const std::string json = json_.ToJson();
    RETURN_IF_ERROR(files_.WriteText(kHotListJson, json));
    HotListFiles files;
    files.layout_digest = graph_.schema().layout_digest;
    files.made_by = made_by;
    files.files = files_.Sorted();
    RETURN_IF_ERROR(files_.WriteText(kHotListFilesJson, files.ToJson()));
    RETURN_IF_ERROR(files_.Commit(flush));
    return Sha256Of(json);
  }

 private:
  // Writes the array NAME and the digests of its blocks, NAME.blocks. Returns
  // the digest of these.
  template <typename T, typename ValueAt>
  absl::StatusOr<Sha256Digest> WriteByRank(const HotListType& type,
                                           const std::string& name, NpyType npy,
                                           ValueAt value_at) {
    const std::string path = HotListArrayPath(type.name, name);
    ASSIGN_OR_RETURN(ArrayWriter out, files_.Create(path, npy, {type.rows}));
    const auto rows = static_cast<size_t>(type.rows);
    std::vector<Sha256Digest> blocks;
    std::vector<T> block;
    for (size_t at = 0; at < rows; at += block.size()) {
      block.resize(std::min<size_t>(kHotListBlockRows, rows - at));
      for (size_t i = 0; i < block.size(); ++i) block[i] = value_at(at + i);
      const absl::Span<const uint8_t> bytes(
          reinterpret_cast<const uint8_t*>(block.data()),
          block.size() * sizeof(T));
      blocks.push_back(Sha256Of(bytes));
      std::memcpy(out.Extend(bytes.size()), bytes.data(), bytes.size());
    }
    RETURN_IF_ERROR(files_.Finish(path, out));
    return WriteBlocks(HotListArrayPath(type.name, name + ".blocks"), blocks);
  }

  absl::StatusOr<Sha256Digest> WriteBlocks(
      const std::string& path, const std::vector<Sha256Digest>& blocks) {
    ASSIGN_OR_RETURN(
        ArrayWriter out,
        files_.Create(path, kNpyUint8,
                      {static_cast<int64_t>(blocks.size()),
                       static_cast<int64_t>(sizeof(Sha256Digest))}));
    Sha256 of_all;
    for (const Sha256Digest& block : blocks) {
      out.Push(block);
      of_all.Update(absl::MakeConstSpan(block));
    }
    RETURN_IF_ERROR(files_.Finish(path, out));
    return of_all.Finish();
  }

  absl::Status WriteRanks(int type, const NodeRanking& ranking) {
    const std::string path =
        HotListArrayPath(graph_.schema().node_types[type].name, "rank");
    ASSIGN_OR_RETURN(ArrayWriter out,
                     files_.Create(path, kNpyUint32,
                                   {static_cast<int64_t>(ranking.size())}));
    for (uint32_t p = 0; p < graph_.schema().num_partitions; ++p) {
      for (const int64_t id : graph_.nodes(type, p)->orig_id) {
        out.Push(ranking.RankOf(id));
      }
    }
    return files_.Finish(path, out);
  }

  const Graph& graph_;
  ListFiles files_;
  HotListJson json_;
};

absl::StatusOr<Sha256Digest> WriteTo(const std::string& target,
                                     const Graph& graph,
                                     const HotListRequest& request) {
  ASSIGN_OR_RETURN(AtomicFolder folder,
                   AtomicFolder::Create(target, ExistingFolder::kReplace));
  ListWriter writer(graph, std::move(folder));
  const auto& types = graph.schema().node_types;
  for (size_t t = 0; t < types.size(); ++t) {
    if (!IsListed(types[t])) continue;
    const auto counts = request.counts.empty() ? absl::Span<const uint32_t>()
                                               : request.counts[t];
    RETURN_IF_ERROR(writer.Add(static_cast<int>(t), counts));
  }
  return writer.Commit(request.made_by, request.flush);
}

}  // namespace

absl::StatusOr<Sha256Digest> WriteHotList(const Graph& graph,
                                          const HotListRequest& request) {
  RETURN_IF_ERROR(CheckHotListName(request.name));
  const std::string target = HotListFolder(request.folder, request.name);
  const auto digest = WriteTo(target, graph, request);
  if (!digest.ok()) {
    // The folder of lists, if there are none in it.
    std::error_code ignored;
    std::filesystem::remove(std::filesystem::path(target).parent_path(),
                            ignored);
  }
  return digest;
}

uint64_t HotListBytes(const GraphSchema& schema) {
  constexpr uint64_t kRowBytes = sizeof(int64_t) + 2 * sizeof(uint32_t);
  uint64_t bytes = 0;
  for (const NodeTypeSchema& type : schema.node_types) {
    if (!IsListed(type)) continue;
    const auto rows = static_cast<uint64_t>(type.num_nodes);
    bytes += rows * kRowBytes + kBytesBesideRows +
             2 * (rows / kHotListBlockRows + 1) * sizeof(Sha256Digest);
  }
  return bytes;
}

uint64_t HotListMemory(const GraphSchema& schema) {
  uint64_t nodes = 0;
  for (const NodeTypeSchema& type : schema.node_types) {
    if (!IsListed(type)) continue;
    nodes = std::max(nodes, static_cast<uint64_t>(type.num_nodes));
  }
  return nodes * NodeRanking::kNodeBytes + kBufferBytes;
}

}  // namespace tributary
