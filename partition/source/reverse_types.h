// Adds the reverse of each edge type of a typed graph.
#ifndef TRIBUTARY_PARTITION_SOURCE_REVERSE_TYPES_H_
#define TRIBUTARY_PARTITION_SOURCE_REVERSE_TYPES_H_

#include <string>

#include "absl/status/status.h"
#include "partition/source/graph_source.h"

namespace tributary {

// Adds to each edge type R the type rev_R: the same columns with the ends
// exchanged. INVALID_ARGUMENT, "ORIGIN: ...", if a type of that name is there
// already. Leaves the types sorted.
absl::Status AddReverseTypes(const std::string& origin, GraphSource& graph);

}  // namespace tributary

#endif  // TRIBUTARY_PARTITION_SOURCE_REVERSE_TYPES_H_
