// Checks that hold for every GraphSchema, whether read or about to be written.
#ifndef TRIBUTARY_PARTITION_SCHEMA_SCHEMA_CHECK_H_
#define TRIBUTARY_PARTITION_SCHEMA_SCHEMA_CHECK_H_

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "partition/schema/schema.h"

namespace tributary {

inline constexpr uint32_t kMaxPartitions =
    65536;  // a partition number has two bytes

inline constexpr size_t kMaxTypeNameBytes = 255;

// Checks the name of a node type or relation: 1 to kMaxTypeNameBytes bytes of
// UTF-8 without ',', "__" and control characters. INVALID_ARGUMENT names what
// is wrong. Names of files come from TypePath().
absl::Status CheckTypeName(absl::string_view name);

inline constexpr size_t kMaxFileNameBytes = 200;

// Checks a name that becomes a file's or folder's as it is, such as those of
// splits: as CheckTypeName, at most kMaxFileNameBytes bytes, without '/', and
// not "." or "..".
absl::Status CheckFileName(absl::string_view name);

// Checks the name of an edge mask: as CheckFileName, at most 64 bytes, and
// usable in conditions: no white space, < > = ! : ; or brackets.
absl::Status CheckMaskName(absl::string_view name);
// Checks the names of one edge type's masks, in any order: each as
// CheckMaskName, no duplicates, at most kMaxEdgeMasks.
absl::Status CheckMaskNames(const std::vector<std::string>& names);

// Checks that the schema is consistent: orders, partition ranges, sums, end
// points, file paths, distinct names in batches. DATA_LOSS names the key.
absl::Status CheckSchema(const GraphSchema& schema);

}  // namespace tributary

#endif  // TRIBUTARY_PARTITION_SCHEMA_SCHEMA_CHECK_H_
