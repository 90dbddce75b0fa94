// Where the features of a served graph lie: --feature-memory.
#ifndef TRIBUTARY_PARTITION_SCHEMA_FEATURE_MEMORY_H_
#define TRIBUTARY_PARTITION_SCHEMA_FEATURE_MEMORY_H_

#include <string_view>

#include "absl/status/statusor.h"

namespace tributary {

enum class FeatureMemory {
  kAuto,      // resident where all arrays fit into memory, else paged
  kResident,  // mapped: a page that is not in memory holds who touches it
  kPaged,     // read by threads of their own, row by row, as they are wanted
};

// "auto", "resident", "paged".
std::string_view NameOf(FeatureMemory where);
// By its name; else INVALID_ARGUMENT.
absl::StatusOr<FeatureMemory> ParseFeatureMemory(std::string_view text);

}  // namespace tributary

#endif  // TRIBUTARY_PARTITION_SCHEMA_FEATURE_MEMORY_H_
