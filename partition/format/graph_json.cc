#include "partition/format/graph_json.h"

#include "absl/strings/str_cat.h"
#include "common/io/file_mapping.h"
#include "common/text/status.h"
#include "partition/format/paths.h"

namespace tributary {

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
  ASSIGN_OR_RETURN(
      const std::string json,
      ReadFile(absl::StrCat(folder, "/", kGraphJson), kMaxGraphJsonBytes));
  return ParseGraphJson(json, folder);
}

}  // namespace tributary
