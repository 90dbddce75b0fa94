// The graph that a loader's servers must hold.
#ifndef TRIBUTARY_TRAINER_CLIENT_CORE_SESSION_ACCEPTED_GRAPH_H_
#define TRIBUTARY_TRAINER_CLIENT_CORE_SESSION_ACCEPTED_GRAPH_H_

#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "partition/schema/schema.h"
#include "trainer_client/core/fleet/control_calls.h"

namespace tributary {

// The graph that a loader is on; all its servers must hold the same.
struct AcceptedGraph {
  std::string json;
  GraphSchema schema;

  // Requires a description with its text. Errors are those of
  // GraphSchema::FromJson; DATA_LOSS if the text is of another graph.
  static absl::StatusOr<AcceptedGraph> From(const ServerDescription& first);
  // FAILED_PRECONDITION, with both names and content digests, if `other` is of
  // a graph with other content.
  absl::Status Check(const ServerDescription& other) const;
};

}  // namespace tributary

#endif  // TRIBUTARY_TRAINER_CLIENT_CORE_SESSION_ACCEPTED_GRAPH_H_
