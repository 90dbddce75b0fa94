#include "partition/writer/streaming/stored_extras.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <system_error>
#include <utility>

#include "absl/functional/function_ref.h"
#include "absl/strings/str_cat.h"
#include "common/io/file_writer.h"
#include "common/io/path_error.h"
#include "common/text/status.h"
#include "partition/format/edge_index.h"
#include "partition/format/node_map.h"
#include "partition/format/paths.h"
#include "partition/source/npy_file.h"
#include "partition/source/read_exactly.h"
#include "partition/writer/array_job.h"

namespace tributary {
namespace {

// Makes the folder of a file, and removes that of an earlier run.
absl::Status MakeRoom(const std::string& path) {
  std::error_code error;
  std::filesystem::create_directories(std::filesystem::path(path).parent_path(),
                                      error);
  if (!error) std::filesystem::remove(path, error);
  if (!error) return absl::OkStatus();
  errno = error.value();
  return PathError(path, "replace");
}

// Writes one array.
absl::StatusOr<FileSchema> WriteArray(
    const std::string& folder, const std::string& relative, NpyType type,
    const std::vector<int64_t>& shape,
    absl::FunctionRef<absl::Status(ArrayWriter&)> fill) {
  const std::string path = absl::StrCat(folder, "/", relative);
  RETURN_IF_ERROR(MakeRoom(path));
  ASSIGN_OR_RETURN(ArrayWriter out, ArrayWriter::Create(path, type, shape));
  RETURN_IF_ERROR(fill(out));
  RETURN_IF_ERROR(out.Finish());
  return FileSchema{relative, out.file_bytes(), out.crc32c()};
}

// Calls f(id, position) for each element of a written array of ids.
template <typename F>
absl::Status ForEachId(const std::string& path, uint64_t buffer_bytes, F f) {
  ASSIGN_OR_RETURN(const NpyHeader header, ReadNpyFileHeader(path));
  ASSIGN_OR_RETURN(const UniqueFd fd, OpenForReading(path));
  const size_t bytes = header.type.size;
  const uint64_t count = header.data_bytes() / bytes;
  const uint64_t at_once =
      std::clamp<uint64_t>(buffer_bytes / bytes, 4096, uint64_t{1} << 20);
  std::vector<uint8_t> block(std::min(count, at_once) * bytes);
  for (uint64_t done = 0; done < count;) {
    const uint64_t n = std::min(count - done, at_once);
    RETURN_IF_ERROR(ReadExactly(fd.get(), path,
                                header.data_offset + done * bytes, block.data(),
                                n * bytes));
    for (uint64_t i = 0; i < n; ++i) {
      uint64_t id = 0;
      std::memcpy(&id, block.data() + i * bytes, bytes);  // little-endian
      f(id, done + i);
    }
    done += n;
  }
  return absl::OkStatus();
}

void PushPartition(ArrayWriter& out, bool narrow, uint16_t partition) {
  if (narrow) {
    out.Push(static_cast<uint8_t>(partition));
  } else {
    out.Push(partition);
  }
}

NpyType PartitionType(uint32_t num_partitions) {
  return NodeMap::IsNarrow(num_partitions) ? kNpyUint8 : kNpyUint16;
}

}  // namespace

absl::StatusOr<std::vector<FileSchema>> WriteNodeMap(const std::string& folder,
                                                     const NodeTypeSchema& type,
                                                     const NodeTable& nodes,
                                                     uint32_t num_partitions) {
  const bool narrow = NodeMap::IsNarrow(num_partitions);
  const auto map = nodes.partition_of();
  ASSIGN_OR_RETURN(
      FileSchema partitions,
      WriteArray(folder, NodeMapPath(type.name), PartitionType(num_partitions),
                 {type.num_nodes}, [&](ArrayWriter& out) {
                   for (uint16_t p : map) PushPartition(out, narrow, p);
                   return absl::OkStatus();
                 }));
  const std::vector<uint64_t> ranks = NodeMap::MakeRanks(map, num_partitions);
  const auto blocks = static_cast<int64_t>(ranks.size() / num_partitions);
  ASSIGN_OR_RETURN(
      FileSchema ranks_file,
      WriteArray(folder, NodeRanksPath(type.name), kNpyUint64,
                 {blocks, int64_t{num_partitions}}, [&](ArrayWriter& out) {
                   for (uint64_t rank : ranks) out.Push(rank);
                   return absl::OkStatus();
                 }));
  return std::vector<FileSchema>{std::move(partitions), std::move(ranks_file)};
}

absl::StatusOr<std::vector<FileSchema>> WriteOutDegrees(
    const std::string& folder, const EdgeTypeSchema& edges,
    const NodeTable& sources, uint32_t num_partitions, uint64_t buffer_bytes) {
  // By internal id.
  std::vector<uint64_t> degrees(static_cast<size_t>(sources.num_nodes()));
  for (uint32_t p = 0; p < num_partitions; ++p) {
    RETURN_IF_ERROR(
        ForEachId(absl::StrCat(folder, "/", EdgeArrayPath(p, edges, "indices")),
                  buffer_bytes, [&](uint64_t id, uint64_t) { ++degrees[id]; }));
  }
  // No degree exceeds the number of edges.
  const NpyType type = IdType(static_cast<uint64_t>(edges.num_edges) + 1);
  ASSIGN_OR_RETURN(
      FileSchema file,
      WriteArray(folder, DegreePath(edges, "out"), type, {sources.num_nodes()},
                 [&](ArrayWriter& out) {
                   for (int64_t v = 0; v < sources.num_nodes(); ++v) {
                     const uint64_t degree =
                         degrees[static_cast<size_t>(sources.internal(v))];
                     PushId(out, type, static_cast<int64_t>(degree));
                   }
                   return absl::OkStatus();
                 }));
  return std::vector<FileSchema>{std::move(file)};
}

absl::StatusOr<std::vector<FileSchema>> WriteEdgeIndex(
    const std::string& folder, const EdgeTypeSchema& edges,
    uint32_t num_partitions, uint64_t buffer_bytes) {
  const NpyType type = EdgePositionType(edges.partition_edges);
  const uint64_t none = EdgeIndex::NoPosition(type == kNpyUint64);
  const bool narrow = NodeMap::IsNarrow(num_partitions);
  const auto ids = static_cast<uint64_t>(edges.num_edge_ids);
  const uint64_t window = std::max<uint64_t>(
      4096, buffer_bytes / (sizeof(uint64_t) + sizeof(uint16_t)));
  std::vector<uint64_t> positions;
  std::vector<uint16_t> partitions;
  // Fills the window of ids that begins at `first`.
  const auto fill_window = [&](uint64_t first) {
    const uint64_t count = std::min(window, ids - first);
    positions.assign(count, none);
    partitions.assign(count, 0);
    for (uint32_t p = 0; p < num_partitions; ++p) {
      RETURN_IF_ERROR(ForEachId(
          absl::StrCat(folder, "/", EdgeArrayPath(p, edges, "edge_id")),
          std::min(buffer_bytes, uint64_t{1} << 20),
          [&](uint64_t id, uint64_t position) {
            if (id - first >= count) return;
            positions[id - first] = position;
            partitions[id - first] = static_cast<uint16_t>(p);
          }));
    }
    return absl::OkStatus();
  };
  ASSIGN_OR_RETURN(FileSchema position_file,
                   WriteArray(folder, EdgeIndexPath(edges, "position"), type,
                              {edges.num_edge_ids}, [&](ArrayWriter& out) {
                                for (uint64_t first = 0; first < ids;
                                     first += window) {
                                  RETURN_IF_ERROR(fill_window(first));
                                  for (uint64_t at : positions) {
                                    PushId(out, type, static_cast<int64_t>(at));
                                  }
                                }
                                return absl::OkStatus();
                              }));
  const bool is_filled = ids <= window;
  ASSIGN_OR_RETURN(FileSchema partition_file,
                   WriteArray(folder, EdgeIndexPath(edges, "partition"),
                              PartitionType(num_partitions),
                              {edges.num_edge_ids}, [&](ArrayWriter& out) {
                                for (uint64_t first = 0; first < ids;
                                     first += window) {
                                  if (!is_filled)
                                    RETURN_IF_ERROR(fill_window(first));
                                  for (uint16_t p : partitions) {
                                    PushPartition(out, narrow, p);
                                  }
                                }
                                return absl::OkStatus();
                              }));
  return std::vector<FileSchema>{std::move(partition_file),
                                 std::move(position_file)};
}

absl::StatusOr<std::vector<FileSchema>> CopyIdFiles(
    const std::string& folder,
    const std::map<std::string, std::string>& id_files, uint64_t buffer_bytes) {
  std::vector<FileSchema> files;
  for (const auto& [relative, from] : id_files) {
    const std::string path = absl::StrCat(folder, "/", relative);
    RETURN_IF_ERROR(MakeRoom(path));
    std::error_code error;
    const uint64_t size = std::filesystem::file_size(from, error);
    if (error) {
      errno = error.value();
      return PathError(from, "stat");
    }
    ASSIGN_OR_RETURN(const UniqueFd fd, OpenForReading(from));
    ASSIGN_OR_RETURN(FileWriter out, FileWriter::Create(path));
    std::vector<uint8_t> block(std::min<uint64_t>(
        size, std::clamp<uint64_t>(buffer_bytes, 4096, uint64_t{1} << 20)));
    while (out.bytes_written() < size) {
      block.resize(
          std::min<uint64_t>(block.size(), size - out.bytes_written()));
      RETURN_IF_ERROR(ReadExactly(fd.get(), from, out.bytes_written(),
                                  block.data(), block.size()));
      RETURN_IF_ERROR(out.Append(block));
    }
    RETURN_IF_ERROR(out.Close());
    files.push_back({relative, out.bytes_written(), out.crc32c()});
  }
  return files;
}

absl::StatusOr<std::vector<FileSchema>> WriteSplits(
    const std::string& folder, const GraphSchema& schema,
    const std::vector<SplitContent>& splits) {
  std::vector<FileSchema> files;
  for (size_t s = 0; s < splits.size(); ++s) {
    ASSIGN_OR_RETURN(
        FileSchema file,
        WriteArray(folder, SplitPath(schema.splits[s]), kNpyInt64,
                   schema.splits[s].shape(), [&](ArrayWriter& out) {
                     for (int64_t id : splits[s].ids) out.Push(id);
                     return absl::OkStatus();
                   }));
    files.push_back(std::move(file));
  }
  return files;
}

}  // namespace tributary
