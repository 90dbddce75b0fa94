// Reads graph.json.
#ifndef TRIBUTARY_PARTITION_FORMAT_GRAPH_JSON_H_
#define TRIBUTARY_PARTITION_FORMAT_GRAPH_JSON_H_

#include <cstddef>
#include <string>
#include <string_view>

#include "absl/status/statusor.h"
#include "partition/schema/schema.h"

namespace tributary {

// The largest graph.json that is read.
inline constexpr size_t kMaxGraphJsonBytes = size_t{256} << 20;

// Parses graph.json and checks its layout digest. Errors are those of
// GraphSchema::FromJson, with `folder`, which the text was read from; DATA_LOSS
// if the digest is not that of the text.
absl::StatusOr<GraphSchema> ParseGraphJson(std::string_view json,
                                           std::string_view folder);
// Does the same for a graph's folder. Other errors are those of ReadFile.
absl::StatusOr<GraphSchema> ReadGraphJson(const std::string& folder);

}  // namespace tributary

#endif  // TRIBUTARY_PARTITION_FORMAT_GRAPH_JSON_H_
