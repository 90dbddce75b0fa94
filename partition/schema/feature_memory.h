// The place where a server keeps the features of a graph: option
// --feature-memory.
#ifndef TRIBUTARY_PARTITION_SCHEMA_FEATURE_MEMORY_H_
#define TRIBUTARY_PARTITION_SCHEMA_FEATURE_MEMORY_H_

#include <string_view>

#include "absl/status/statusor.h"

namespace tributary {

// Features are x of nodes and edge_attr of edges.
enum class FeatureMemory {
  kAuto,      // resident if all arrays fit into memory, otherwise paged
  kResident,  // mapped: touching a page that is not in memory blocks
  kPaged,     // rows are read on demand by dedicated threads
};

// Returns "auto", "resident" or "paged".
std::string_view NameOf(FeatureMemory where);
// Parses a name; INVALID_ARGUMENT for anything else.
absl::StatusOr<FeatureMemory> ParseFeatureMemory(std::string_view text);

}  // namespace tributary

#endif  // TRIBUTARY_PARTITION_SCHEMA_FEATURE_MEMORY_H_
