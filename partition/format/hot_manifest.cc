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

constexpr char kFormatName[] = "tributary-hot-cache";
constexpr size_t kMaxHotJsonBytes = size_t{64} << 20;

absl::Status ManifestError(const std::string& what) {
  return absl::DataLossError(absl::StrCat(kHotJson, ": ", what));
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

auto OrderOf(const HotRowsSchema& rows) {
  return std::tie(rows.partition, rows.node_type);
}

absl::Status CheckOrder(const HotManifest& manifest) {
  for (size_t i = 1; i < manifest.rows.size(); ++i) {
    if (OrderOf(manifest.rows[i - 1]) < OrderOf(manifest.rows[i])) continue;
    return ManifestError("rows do not ascend by partition and node type");
  }
  for (size_t i = 1; i < manifest.files.size(); ++i) {
    if (manifest.files[i - 1].path < manifest.files[i].path) continue;
    return ManifestError("the paths of files do not ascend");
  }
  return absl::OkStatus();
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
  Json list = Json::array(), paths = Json::array();
  for (const HotRowsSchema& entry : rows) {
    list.push_back({{"partition", entry.partition},
                    {"node_type", entry.node_type},
                    {"rows", entry.rows}});
  }
  for (const FileSchema& file : files) {
    paths.push_back(
        {{"path", file.path}, {"bytes", file.bytes}, {"crc32c", file.crc32c}});
  }
  const Json json = {{"format", kFormatName},
                     {"format_version", kHotFormatVersion},
                     {"layout_digest", ToHex(layout_digest)},
                     {"made_by", made_by},
                     {"rows", std::move(list)},
                     {"files", std::move(paths)}};
  // Invalid UTF-8, which a command line may hold, is replaced.
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

absl::StatusOr<HotManifest> HotManifest::FromJson(std::string_view text) {
  ASSIGN_OR_RETURN(const Json json,
                   ParseJson({text.data(), text.size()}, kHotJson,
                             absl::StatusCode::kDataLoss));
  JsonObject in(json, kHotJson,
                {.code = absl::StatusCode::kDataLoss,
                 .unknown_remedy = "a later program made the cache"});
  const std::string format = in.Text("format");
  const uint64_t version = in.Whole("format_version");
  RETURN_IF_ERROR(in.status());
  if (format != kFormatName) {
    return ManifestError(absl::StrCat("its format is not ", kFormatName));
  }
  if (version != kHotFormatVersion) {
    return absl::InvalidArgumentError(
        absl::StrCat(kHotJson, ": this program reads format_version ",
                     kHotFormatVersion, " alone; make the cache anew"));
  }
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

namespace {

// Reads the hot.json in `hot`. `what` it describes; `remedies`: what helps
// where that belongs to another layout.
absl::StatusOr<HotManifest> ReadManifestIn(const std::string& hot,
                                           const GraphSchema& schema,
                                           const std::string& what,
                                           const std::string& remedies) {
  ASSIGN_OR_RETURN(const auto text, ReadFile(absl::StrCat(hot, "/", kHotJson),
                                             kMaxHotJsonBytes));
  const auto within = [&hot](const absl::Status& why) {
    return absl::Status(why.code(), absl::StrCat(hot, "/", why.message()));
  };
  absl::StatusOr<HotManifest> manifest = HotManifest::FromJson(text);
  if (!manifest.ok()) return within(manifest.status());
  if (manifest->layout_digest != schema.layout_digest) {
    return absl::FailedPreconditionError(
        absl::StrCat(hot, "/", kHotJson, ": ", what, " belongs to the layout ",
                     ToHex(manifest->layout_digest), "; the graph's is ",
                     ToHex(schema.layout_digest),
                     "\nallowed: to make it anew (tributary cache), to remove ",
                     hot, remedies));
  }
  for (const HotRowsSchema& rows : manifest->rows) {
    const absl::Status status = CheckRows(rows, schema);
    if (!status.ok()) return within(status);
  }
  return *std::move(manifest);
}

}  // namespace

absl::StatusOr<std::optional<HotManifest>> ReadHotManifest(
    const std::string& folder, const GraphSchema& schema) {
  auto manifest = ReadManifestIn(HotFolderOf(folder), schema, "the cache",
                                 ", or --hot-cache off");
  if (absl::IsNotFound(manifest.status())) return std::nullopt;
  RETURN_IF_ERROR(manifest.status());
  return *std::move(manifest);
}

absl::StatusOr<HotManifest> ReadHotListManifest(const std::string& list_folder,
                                                const GraphSchema& schema) {
  ASSIGN_OR_RETURN(HotManifest manifest,
                   ReadManifestIn(list_folder, schema, "the list", ""));
  if (manifest.rows.empty()) return manifest;
  return absl::DataLossError(absl::StrCat(
      list_folder, "/", kHotJson, ": it is a cache's; a list has no rows"));
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
