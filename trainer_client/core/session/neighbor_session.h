// What neighbour sampling asks of a graph: checks, specification, bound.
#ifndef TRIBUTARY_TRAINER_CLIENT_CORE_SESSION_NEIGHBOR_SESSION_H_
#define TRIBUTARY_TRAINER_CLIENT_CORE_SESSION_NEIGHBOR_SESSION_H_

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "partition/schema/schema.h"
#include "trainer_client/core/fleet/control_calls.h"
#include "trainer_client/core/session/loader_options.h"
#include "trainer_client/core/session/loader_session.h"

namespace tributary {

// What can be known to be wrong without a graph: INVALID_ARGUMENT with field,
// value and what is allowed; UNIMPLEMENTED for what is to come.
absl::Status CheckLoaderOptions(const NeighborLoaderOptions& options);

// The graph that the first server described; the others must hold the same.
struct AcceptedGraph {
  std::string json;
  GraphSchema schema;

  static absl::StatusOr<AcceptedGraph> From(const ServerDescription& first);
  // FAILED_PRECONDITION with both names and content digests.
  absl::Status Check(const ServerDescription& other) const;
};

// The node type of the inputs, or the edge type of each list of links: that of
// the options, or the graph's only one. INVALID_ARGUMENT lists the types that
// there are, or says that a typed graph is not taken.
absl::StatusOr<std::vector<std::string>> InputTypesOf(
    const NeighborLoaderOptions& options, const GraphSchema& schema);

// Session of `input_ids`, or of options.link, on the graph. INVALID_ARGUMENT:
// the options do not fit it, or an id is none of its nodes.
absl::StatusOr<LoaderSession> MakeNeighborSession(
    const NeighborLoaderOptions& options,
    std::shared_ptr<const AcceptedGraph> graph, std::vector<int64_t> input_ids);

}  // namespace tributary

#endif  // TRIBUTARY_TRAINER_CLIENT_CORE_SESSION_NEIGHBOR_SESSION_H_
