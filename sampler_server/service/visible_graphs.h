// The graphs of a server that a caller may read.
#ifndef TRIBUTARY_SAMPLER_SERVER_SERVICE_VISIBLE_GRAPHS_H_
#define TRIBUTARY_SAMPLER_SERVER_SERVICE_VISIBLE_GRAPHS_H_

#include <memory>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "channel/caller.h"
#include "sampler_server/service/service_core.h"

namespace tributary {

// Returns the graphs that the policy lets the caller read. `job` is that of the
// stream, empty if none was named; see GraphAccess. Errors of the view name no
// other graphs.
GraphView VisibleGraphs(const ServiceCore& core, const Caller& caller,
                        const std::string& job);

// PERMISSION_DENIED, counted and logged, if the caller may not read the graph.
absl::Status CheckMayRead(const ServiceCore& core, const Caller& caller,
                          const std::string& job, const HeldGraph& graph);

// Return the graph with the digest. Errors as CheckMayRead and, for a graph
// that is not served, GraphView.
absl::StatusOr<std::shared_ptr<HeldGraph>> ReadableContent(
    const ServiceCore& core, const Caller& caller, const std::string& job,
    const std::string& content_digest);
absl::StatusOr<std::shared_ptr<HeldGraph>> ReadableLayout(
    const ServiceCore& core, const Caller& caller, const std::string& job,
    const std::string& layout_digest);

}  // namespace tributary

#endif  // TRIBUTARY_SAMPLER_SERVER_SERVICE_VISIBLE_GRAPHS_H_
