// What anyone may ask a server: who it is, and the inputs of a split.
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

struct InputIdsPage {
  v1::GetInputIdsReply header;
  absl::Span<const int64_t> ids;  // lies in the graph
};

// Of the graph with the request's digest. NOT_FOUND for an unknown type or
// split (those there are), OUT_OF_RANGE for an offset past the end.
absl::StatusOr<InputIdsPage> ServeGetInputIds(
    const Graph& graph, const v1::GetInputIdsRequest& request);

}  // namespace tributary

#endif  // TRIBUTARY_SAMPLER_SERVER_SERVICE_CONTROL_CALLS_H_
