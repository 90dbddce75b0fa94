// Where the edges of one direction are stored.
#ifndef TRIBUTARY_PARTITION_SCHEMA_EDGE_DIRECTION_H_
#define TRIBUTARY_PARTITION_SCHEMA_EDGE_DIRECTION_H_

#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "common/session/draw_options.h"
#include "partition/schema/schema.h"

namespace tributary {

// The edge types whose rows draws of `edge_type` read, in the order of the
// draws: itself for in-edges, its reverse for out-edges. INVALID_ARGUMENT, with
// what is allowed, where the graph stores no reverse.
absl::StatusOr<std::vector<int>> DrawnTypes(const GraphSchema& schema,
                                            int edge_type,
                                            EdgeDirection direction);

// Whether no stored type is drawn from twice, in the same way, for two of
// `edge_types`. INVALID_ARGUMENT with what is allowed.
absl::Status CheckDrawnOnce(const GraphSchema& schema,
                            const std::vector<int>& edge_types,
                            EdgeDirection direction);

}  // namespace tributary

#endif  // TRIBUTARY_PARTITION_SCHEMA_EDGE_DIRECTION_H_
