#include "trainer_client/core/session/accepted_graph.h"

#include "absl/strings/str_cat.h"
#include "common/text/status.h"

namespace tributary {

absl::StatusOr<AcceptedGraph> AcceptedGraph::From(
    const ServerDescription& first) {
  AcceptedGraph graph;
  graph.json = first.graph_json;
  ASSIGN_OR_RETURN(graph.schema, GraphSchema::FromJson(first.graph_json));
  if (graph.schema.layout_digest != first.layout_digest ||
      graph.schema.content_digest != first.content_digest) {
    return absl::DataLossError(absl::StrCat(
        "it describes the layout ", ToHex(first.layout_digest),
        " and sends the graph.json of ", ToHex(graph.schema.layout_digest)));
  }
  return graph;
}

absl::Status AcceptedGraph::Check(const ServerDescription& other) const {
  if (other.content_digest == schema.content_digest) return absl::OkStatus();
  return absl::FailedPreconditionError(absl::StrCat(
      "it serves the graph ", other.graph_name, " with content digest ",
      ToHex(other.content_digest), ", the loader is on ", schema.name, " with ",
      ToHex(schema.content_digest)));
}

}  // namespace tributary
