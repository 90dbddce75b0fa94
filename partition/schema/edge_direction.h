// Maps edge_dir to stored edge types: in-edges of a type are stored in the type
// itself, out-edges in its reverse type.
#ifndef TRIBUTARY_PARTITION_SCHEMA_EDGE_DIRECTION_H_
#define TRIBUTARY_PARTITION_SCHEMA_EDGE_DIRECTION_H_

#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "common/session/draw_options.h"
#include "partition/schema/schema.h"

namespace tributary {

// Returns the edge types whose rows are read to draw from `edge_type`, in the
// order of the draws: itself for in-edges, its reverse for out-edges.
// INVALID_ARGUMENT, with what is allowed, if the graph stores no reverse.
absl::StatusOr<std::vector<int>> DrawnTypes(const GraphSchema& schema,
                                            int edge_type,
                                            EdgeDirection direction);

// Checks that no stored type would be drawn from in the same way for two of
// `edge_types`. INVALID_ARGUMENT with what is allowed.
absl::Status CheckDrawnOnce(const GraphSchema& schema,
                            const std::vector<int>& edge_types,
                            EdgeDirection direction);

}  // namespace tributary

#endif  // TRIBUTARY_PARTITION_SCHEMA_EDGE_DIRECTION_H_
