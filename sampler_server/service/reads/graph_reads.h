// Answers reads of the stored graph: where nodes and edges are, rows of
// columns, ends of edges, degrees.
//
// Each is a pure function of the graph and the request, thread-safe, and
// validates all of its input. None of them blocks, reads a file or makes a
// call: features in files are listed in LeafReply::unread. Errors: see
// graph_reads.proto; RESOURCE_EXHAUSTED when `budget` is full at the moment.
// The caller has found `graph` by the request's layout digest.
#ifndef TRIBUTARY_SAMPLER_SERVER_SERVICE_READS_GRAPH_READS_H_
#define TRIBUTARY_SAMPLER_SERVER_SERVICE_READS_GRAPH_READS_H_

#include <cstddef>
#include <cstdint>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "common/proto/graph_reads.pb.h"
#include "common/runtime/shared_budget.h"
#include "partition/format/graph.h"
#include "sampler_server/service/leaf/leaf_calls.h"

namespace tributary {

// The most ids, rows or edges of one request, so that none takes long.
inline constexpr uint64_t kMaxGraphReadItems = 65'536;

absl::StatusOr<LeafReply> ServeLocateNodes(
    const Graph& graph, const v1::LocateNodesRequest& request,
    absl::Span<const uint8_t> payload, const LeafLimits& limits,
    BudgetShare& budget);

absl::StatusOr<LeafReply> ServeLocateEdges(
    const Graph& graph, const v1::LocateEdgesRequest& request,
    absl::Span<const uint8_t> payload, const LeafLimits& limits,
    BudgetShare& budget);

absl::StatusOr<LeafReply> ServeReadColumn(const Graph& graph,
                                          const v1::ReadColumnRequest& request,
                                          absl::Span<const uint8_t> payload,
                                          const LeafLimits& limits,
                                          BudgetShare& budget);

absl::StatusOr<LeafReply> ServeFindEdges(const Graph& graph,
                                         const v1::FindEdgesRequest& request,
                                         absl::Span<const uint8_t> payload,
                                         const LeafLimits& limits,
                                         BudgetShare& budget);

absl::StatusOr<LeafReply> ServeNodeDegrees(
    const Graph& graph, const v1::NodeDegreesRequest& request,
    absl::Span<const uint8_t> payload, const LeafLimits& limits,
    BudgetShare& budget);

}  // namespace tributary

#endif  // TRIBUTARY_SAMPLER_SERVER_SERVICE_READS_GRAPH_READS_H_
