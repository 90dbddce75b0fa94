#include "trainer_client/core/session/accepted_graph.h"

#include "absl/strings/str_cat.h"
#include "common/text/status.h"

namespace tributary {

absl::StatusOr<AcceptedGraph> AcceptedGraph::From(
    const ServerDescription& first) {
  AcceptedGraph graph;
  graph.json = first.graph_json;
  ASSIGN_OR_RETURN(graph.schema, GraphSchema::FromJson(first.graph_json));
  return graph;
}

absl::Status AcceptedGraph::Check(const ServerDescription& other) const {
  if (other.graph_json == json) return absl::OkStatus();
  ASSIGN_OR_RETURN(const GraphSchema theirs,
                   GraphSchema::FromJson(other.graph_json));
  if (theirs.content_digest == schema.content_digest) return absl::OkStatus();
  return absl::FailedPreconditionError(
      absl::StrCat("it serves the graph ", theirs.name, " with content digest ",
                   ToHex(theirs.content_digest), ", the first server ",
                   schema.name, " with ", ToHex(schema.content_digest)));
}

}  // namespace tributary
