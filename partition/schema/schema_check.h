// What must hold in any GraphSchema, read or about to be written.
#ifndef TRIBUTARY_PARTITION_SCHEMA_SCHEMA_CHECK_H_
#define TRIBUTARY_PARTITION_SCHEMA_SCHEMA_CHECK_H_

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "partition/schema/schema.h"

namespace tributary {

inline constexpr uint32_t kMaxPartitions = 65536;  // two bytes a node

// A type's or relation's name: not empty, no ',', '/', "__", control
// character, and not "." or ".."; INVALID_ARGUMENT names what is wrong.
absl::Status CheckTypeName(absl::string_view name);

// The name of a mask of edges: a type's name, and so that conditions can say it
// without white space, < > = ! : ; and brackets; up to 64 bytes.
absl::Status CheckMaskName(absl::string_view name);
// Those of one edge type, in any order: also each once, and kMaxEdgeMasks.
absl::Status CheckMaskNames(const std::vector<std::string>& names);

// DATA_LOSS, naming the key, when the schema contradicts itself: orders,
// partition ranges, sums, end points, file paths.
absl::Status CheckSchema(const GraphSchema& schema);

}  // namespace tributary

#endif  // TRIBUTARY_PARTITION_SCHEMA_SCHEMA_CHECK_H_
