#include "partition/format/graph_json.h"

#include <filesystem>
#include <string>
#include <system_error>

#include "absl/strings/str_cat.h"
#include "common/io/file_mapping.h"
#include "common/text/status.h"
#include "partition/format/paths.h"

namespace tributary {
namespace {

// Returns what is in the place of a graph's folder, and what helps; empty if
// that is not known.
std::string WhatItIs(const std::string& folder) {
  namespace fs = std::filesystem;
  std::error_code error;
  const fs::path path(folder);
  if (path.filename() == kGraphJson && fs::is_regular_file(path, error)) {
    return absl::StrCat("a file; allowed: its folder, ",
                        path.has_parent_path() ? path.parent_path().string()
                                               : std::string("."));
  }
  const auto has = [&](const char* name) {
    return fs::exists(path / name, error);
  };
  if (has("part0")) {
    return "a folder that DGL or GLT has partitioned; allowed: what "
           "partition/exporters/tributary_export.py and tributary partition "
           "--format dgl-chunked make of it";
  }
  if (has("metadata.json")) {
    return "a graph in DGL's chunked format; allowed: what tributary partition "
           "--format dgl-chunked makes of it";
  }
  if (has("raw")) {
    return "a graph in OGB's layout; allowed: what tributary partition "
           "--format "
           "ogb makes of it";
  }
  return "";
}

}  // namespace

absl::StatusOr<GraphSchema> ParseGraphJson(std::string_view json,
                                           std::string_view folder) {
  const std::string where(folder);
  absl::StatusOr<GraphSchema> schema = GraphSchema::FromJson(json);
  if (!schema.ok()) {
    return absl::Status(schema.status().code(),
                        absl::StrCat(where, "/", schema.status().message()));
  }
  if (schema->ComputeLayoutDigest() == schema->layout_digest) return schema;
  return absl::DataLossError(
      absl::StrCat(where, "/", kGraphJson,
                   ": layout_digest is not that of its content; the file is "
                   "damaged or was edited"));
}

absl::StatusOr<GraphSchema> ReadGraphJson(const std::string& folder) {
  const absl::StatusOr<std::string> json =
      ReadFile(absl::StrCat(folder, "/", kGraphJson), kMaxGraphJsonBytes);
  if (json.ok()) return ParseGraphJson(*json, folder);
  const std::string instead = WhatItIs(folder);
  if (instead.empty()) return json.status();
  return absl::Status(
      json.status().code(),
      absl::StrCat(json.status().message(), "; ", folder, " is ", instead));
}

}  // namespace tributary
