#include "partition/format/hot_manifest.h"

#include <algorithm>
#include <limits>
#include <tuple>
#include <utility>

#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "common/io/file_mapping.h"
#include "common/json/json_object.h"
#include "common/text/status.h"
#include "nlohmann/json.hpp"
#include "partition/format/paths.h"
#include "partition/format/row_set.h"

namespace tributary {
namespace {

using Json = nlohmann::json;  // a std::map, so keys are written sorted

// A file, and what it is called in messages.
struct HotFormat {
  const char* json;
  const char* name;  // of the format
  uint32_t version;
  const char* thing;
};
constexpr HotFormat kCacheFormat = {kHotJson, "tributary-hot-cache",
                                    kHotFormatVersion, "cache"};
constexpr HotFormat kListFormat = {kHotListFilesJson,
                                   "tributary-hot-list-files",
                                   kHotListFilesVersion, "list"};
constexpr size_t kMaxHotJsonBytes = size_t{64} << 20;

absl::Status ManifestError(const std::string& what,
                           const HotFormat& format = kCacheFormat) {
  return absl::DataLossError(absl::StrCat(format.json, ": ", what));
}

HotRowsSchema ReadRows(JsonObject& in) {
  constexpr uint64_t kMost = std::numeric_limits<uint32_t>::max();
  return {.partition = static_cast<uint32_t>(in.Whole("partition", kMost)),
          .node_type = in.Text("node_type"),
          .rows = in.Count("rows")};
}

FileSchema ReadFileEntry(JsonObject& in) {
  constexpr uint64_t kMost = std::numeric_limits<uint32_t>::max();
  return {.path = in.Text("path"),
          .bytes = static_cast<uint64_t>(in.Count("bytes")),
          .crc32c = static_cast<uint32_t>(in.Whole("crc32c", kMost))};
}

Json FilesJson(const std::vector<FileSchema>& files) {
  Json list = Json::array();
  for (const FileSchema& file : files) {
    list.push_back(
        {{"path", file.path}, {"bytes", file.bytes}, {"crc32c", file.crc32c}});
  }
  return list;
}

// Invalid UTF-8, which a command line may hold, is replaced.
std::string Dump(const Json& json) {
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

JsonErrors ErrorsOf(const HotFormat& format) {
  return {.code = absl::StatusCode::kDataLoss,
          .unknown_remedy =
              absl::StrCat("a later program made the ", format.thing)};
}

// Checks that the text is of this format, in a version that is read.
absl::Status CheckFormat(JsonObject& in, const HotFormat& format) {
  const std::string name = in.Text("format");
  const uint64_t version = in.Whole("format_version");
  RETURN_IF_ERROR(in.status());
  if (name != format.name) {
    return ManifestError(absl::StrCat("its format is not ", format.name),
                         format);
  }
  if (version == format.version) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat(format.json, ": this program reads format_version ",
                   format.version, " alone; make the ", format.thing, " anew"));
}

absl::Status CheckPaths(const std::vector<FileSchema>& files,
                        const HotFormat& format) {
  for (size_t i = 1; i < files.size(); ++i) {
    if (files[i - 1].path < files[i].path) continue;
    return ManifestError("the paths of files do not ascend", format);
  }
  return absl::OkStatus();
}

auto OrderOf(const HotRowsSchema& rows) {
  return std::tie(rows.partition, rows.node_type);
}

absl::Status CheckOrder(const HotManifest& manifest) {
  for (size_t i = 1; i < manifest.rows.size(); ++i) {
    if (OrderOf(manifest.rows[i - 1]) < OrderOf(manifest.rows[i])) continue;
    return ManifestError("rows do not ascend by partition and node type");
  }
  return CheckPaths(manifest.files, kCacheFormat);
}

absl::Status CheckRows(const HotRowsSchema& rows, const GraphSchema& schema) {
  const int type = schema.FindNodeType(rows.node_type);
  if (rows.partition >= schema.num_partitions || type < 0) {
    return ManifestError(absl::StrCat("the graph has no partition ",
                                      rows.partition, " with a node type ",
                                      absl::CHexEscape(rows.node_type)));
  }
  const std::vector<int64_t>& base = schema.node_types[type].base;
  const int64_t remote = schema.node_types[type].num_nodes -
                         (base[rows.partition + 1] - base[rows.partition]);
  if (rows.rows <= remote) return absl::OkStatus();
  return ManifestError(absl::StrCat(
      "partition ", rows.partition, " has ", rows.rows, " rows of ",
      rows.node_type, "; only ", remote, " are in other partitions"));
}

}  // namespace

std::string HotManifest::ToJson() const {
  Json list = Json::array();
  for (const HotRowsSchema& entry : rows) {
    list.push_back({{"partition", entry.partition},
                    {"node_type", entry.node_type},
                    {"rows", entry.rows}});
  }
  return Dump({{"format", kCacheFormat.name},
               {"format_version", kHotFormatVersion},
               {"layout_digest", ToHex(layout_digest)},
               {"made_by", made_by},
               {"rows", std::move(list)},
               {"files", FilesJson(files)}});
}

absl::StatusOr<HotManifest> HotManifest::FromJson(std::string_view text) {
  ASSIGN_OR_RETURN(const Json json,
                   ParseJson({text.data(), text.size()}, kHotJson,
                             absl::StatusCode::kDataLoss));
  JsonObject in(json, kHotJson, ErrorsOf(kCacheFormat));
  RETURN_IF_ERROR(CheckFormat(in, kCacheFormat));
  HotManifest manifest;
  manifest.layout_digest = in.Digest("layout_digest");
  manifest.made_by = in.Text("made_by");
  manifest.rows = in.List("rows", ReadRows);
  manifest.files = in.List("files", ReadFileEntry);
  in.RefuseOthers();
  RETURN_IF_ERROR(in.status());
  RETURN_IF_ERROR(CheckOrder(manifest));
  return manifest;
}

std::string HotListFiles::ToJson() const {
  return Dump({{"format", kListFormat.name},
               {"format_version", kHotListFilesVersion},
               {"layout_digest", ToHex(layout_digest)},
               {"made_by", made_by},
               {"files", FilesJson(files)}});
}

absl::StatusOr<HotListFiles> HotListFiles::FromJson(std::string_view text) {
  ASSIGN_OR_RETURN(const Json json,
                   ParseJson({text.data(), text.size()}, kHotListFilesJson,
                             absl::StatusCode::kDataLoss));
  JsonObject in(json, kHotListFilesJson, ErrorsOf(kListFormat));
  RETURN_IF_ERROR(CheckFormat(in, kListFormat));
  HotListFiles list;
  list.layout_digest = in.Digest("layout_digest");
  list.made_by = in.Text("made_by");
  list.files = in.List("files", ReadFileEntry);
  in.RefuseOthers();
  RETURN_IF_ERROR(in.status());
  RETURN_IF_ERROR(CheckPaths(list.files, kListFormat));
  return list;
}

int64_t HotManifest::RowsOf(uint32_t partition,
                            std::string_view node_type) const {
  for (const HotRowsSchema& entry : rows) {
    if (entry.partition == partition && entry.node_type == node_type) {
      return entry.rows;
    }
  }
  return 0;
}

std::string HotFolderOf(const std::string& folder) {
  return absl::StrCat(folder, "/", kHotFolder);
}

absl::StatusOr<std::optional<HotManifest>> ReadHotManifest(
    const std::string& folder, const GraphSchema& schema) {
  const std::string hot = HotFolderOf(folder);
  const auto text =
      ReadFile(absl::StrCat(hot, "/", kHotJson), kMaxHotJsonBytes);
  if (absl::IsNotFound(text.status())) return std::nullopt;
  RETURN_IF_ERROR(text.status());
  const auto within = [&hot](const absl::Status& why) {
    return absl::Status(why.code(), absl::StrCat(hot, "/", why.message()));
  };
  absl::StatusOr<HotManifest> manifest = HotManifest::FromJson(*text);
  if (!manifest.ok()) return within(manifest.status());
  if (manifest->layout_digest != schema.layout_digest) {
    return absl::FailedPreconditionError(
        absl::StrCat(hot, "/", kHotJson, ": the cache belongs to the layout ",
                     ToHex(manifest->layout_digest), "; the graph's is ",
                     ToHex(schema.layout_digest),
                     "\nallowed: to make it anew (tributary "
                     "cache), to remove ",
                     hot, ", or --hot-cache off"));
  }
  for (const HotRowsSchema& rows : manifest->rows) {
    const absl::Status status = CheckRows(rows, schema);
    if (!status.ok()) return within(status);
  }
  return *std::move(manifest);
}

size_t HotRowBytes(const NodeTypeSchema& type) {
  return sizeof(int64_t) + (type.x.has_value() ? type.x->row_bytes() : 0) +
         (type.y.has_value() ? type.y->row_bytes() : 0);
}

uint64_t HotBytesOf(const HotManifest& manifest, const GraphSchema& schema,
                    const std::vector<uint32_t>& partitions) {
  uint64_t bytes = 0;
  for (const NodeTypeSchema& type : schema.node_types) {
    uint64_t rows = 0;
    for (const uint32_t partition : partitions) {
      rows += static_cast<uint64_t>(manifest.RowsOf(partition, type.name));
    }
    if (rows == 0) continue;
    bytes += rows * HotRowBytes(type) +
             RowSet::BytesFor(static_cast<uint64_t>(type.num_nodes));
  }
  return bytes;
}

}  // namespace tributary
