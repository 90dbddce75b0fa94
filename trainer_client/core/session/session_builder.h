// Builds a session from a user's options and a graph, for every kind of
// sampling: what differs by kind is a ClientKind's.
#ifndef TRIBUTARY_TRAINER_CLIENT_CORE_SESSION_SESSION_BUILDER_H_
#define TRIBUTARY_TRAINER_CLIENT_CORE_SESSION_SESSION_BUILDER_H_

#include <cstdint>
#include <memory>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "partition/schema/schema.h"
#include "trainer_client/core/kinds/session_inputs.h"
#include "trainer_client/core/kinds/session_options.h"
#include "trainer_client/core/session/accepted_graph.h"
#include "trainer_client/core/session/loader_session.h"

namespace tributary {

// Checks what can be known to be wrong without a graph. INVALID_ARGUMENT with
// field, value and what is allowed; UNIMPLEMENTED for what is not available
// yet.
absl::Status CheckSessionOptions(const SessionOptions& options);

// Returns the lists of inputs that the options ask for. INVALID_ARGUMENT, with
// the graph's types, for a type that it lacks or that must be named, and for a
// typed graph with options.homogeneous.
absl::StatusOr<std::vector<InputSource>> InputSourcesOf(
    const SessionOptions& options, const GraphSchema& schema);

// Returns the session of the options on the graph. `splits` holds what servers
// answered for each of InputSourcesOf that has a split, and is not read for
// others. INVALID_ARGUMENT: the options do not fit the graph, or an input is
// no node of it; DATA_LOSS: a split is malformed. Requires CheckSessionOptions.
absl::StatusOr<LoaderSession> MakeSession(
    const SessionOptions& options, std::shared_ptr<const AcceptedGraph> graph,
    std::vector<std::vector<int64_t>> splits = {});

}  // namespace tributary

#endif  // TRIBUTARY_TRAINER_CLIENT_CORE_SESSION_SESSION_BUILDER_H_
