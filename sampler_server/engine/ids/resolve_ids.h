// Translates original ids to internal ids.
#ifndef TRIBUTARY_SAMPLER_SERVER_ENGINE_IDS_RESOLVE_IDS_H_
#define TRIBUTARY_SAMPLER_SERVER_ENGINE_IDS_RESOLVE_IDS_H_

#include <cstdint>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "common/runtime/stop_check.h"
#include "partition/format/graph.h"

namespace tributary {

// Returns the internal ids of nodes of `node_type`, in the order given.
// INVALID_ARGUMENT for an id that is not a node of the type; DATA_LOSS if the
// graph's node_map is damaged; CANCELLED and DEADLINE_EXCEEDED of `stop`.
// Thread-safe.
absl::StatusOr<std::vector<uint64_t>> ResolveIds(
    const Graph& graph, int node_type, absl::Span<const int64_t> original_ids,
    StopCheck* stop = nullptr);

}  // namespace tributary

#endif  // TRIBUTARY_SAMPLER_SERVER_ENGINE_IDS_RESOLVE_IDS_H_
