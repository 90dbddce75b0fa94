// The control calls that answer page by page: the inputs of a split, and the
// text of graph.json.
#ifndef TRIBUTARY_SAMPLER_SERVER_SERVICE_CONTROL_CALLS_H_
#define TRIBUTARY_SAMPLER_SERVER_SERVICE_CONTROL_CALLS_H_

#include <cstddef>
#include <cstdint>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "common/proto/wire.pb.h"
#include "partition/format/graph.h"
#include "sampler_server/service/catalog/graph_catalog.h"

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

// One page of the text of graph.json.
struct GraphJsonPage {
  v1::GetGraphJsonReply header;
  absl::Span<const uint8_t> text;  // valid as long as `graph`
};

// Returns the page at `offset`, which is empty at the text's end. OUT_OF_RANGE
// beyond it.
absl::StatusOr<GraphJsonPage> ServeGetGraphJson(const HeldGraph& graph,
                                                uint64_t offset);

}  // namespace tributary

#endif  // TRIBUTARY_SAMPLER_SERVER_SERVICE_CONTROL_CALLS_H_
