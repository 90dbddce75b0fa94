// The control call GetInputIds: the inputs of a split, page by page.
#ifndef TRIBUTARY_SAMPLER_SERVER_SERVICE_CONTROL_CALLS_H_
#define TRIBUTARY_SAMPLER_SERVER_SERVICE_CONTROL_CALLS_H_

#include <cstddef>
#include <cstdint>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "common/proto/wire.pb.h"
#include "partition/format/graph.h"

namespace tributary {

inline constexpr size_t kInputIdsPerPage = (1u << 20) / sizeof(int64_t);

// One page of ids.
struct InputIdsPage {
  v1::GetInputIdsReply header;
  absl::Span<const int64_t> ids;  // mapped; valid as long as the graph
};

// Returns the page at the request's offset: ids of nodes, or of edges if the
// request names an edge type. `graph` is the one with the request's digest.
// NOT_FOUND, listing those that exist, for an unknown type or split;
// OUT_OF_RANGE for an offset past the end.
absl::StatusOr<InputIdsPage> ServeGetInputIds(
    const Graph& graph, const v1::GetInputIdsRequest& request);

}  // namespace tributary

#endif  // TRIBUTARY_SAMPLER_SERVER_SERVICE_CONTROL_CALLS_H_
