#include "sampler_server/service/control_calls.h"

#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "common/fleet/graph_text.h"
#include "common/text/status.h"

namespace tributary {
namespace {

absl::StatusOr<int> FindInputType(const GraphSchema& schema,
                                  const std::string& name) {
  if (name.empty() && schema.node_types.size() == 1) return 0;
  const int type = schema.FindNodeType(name);
  if (type >= 0) return type;
  std::vector<std::string> names;
  for (const NodeTypeSchema& node_type : schema.node_types) {
    names.push_back(node_type.name);
  }
  return absl::NotFoundError(absl::StrCat(
      "node type '", name, "'; the graph has ", absl::StrJoin(names, ", ")));
}

absl::StatusOr<int> FindInputEdgeType(const GraphSchema& schema,
                                      const std::string& name) {
  const int type = schema.FindEdgeType(name);
  if (type >= 0) return type;
  return absl::NotFoundError(absl::StrCat(
      "edge type '", name, "'; the graph has ", schema.EdgeTypeNames()));
}

absl::StatusOr<absl::Span<const int64_t>> FindSplit(
    const Graph& graph, const v1::GetInputIdsRequest& request) {
  if (!request.edge_type().empty()) {
    ASSIGN_OR_RETURN(const int type,
                     FindInputEdgeType(graph.schema(), request.edge_type()));
    return graph.EdgeSplit(type, request.split());
  }
  ASSIGN_OR_RETURN(const int type,
                   FindInputType(graph.schema(), request.node_type()));
  return graph.Split(type, request.split());
}

}  // namespace

absl::StatusOr<InputIdsPage> ServeGetInputIds(
    const Graph& graph, const v1::GetInputIdsRequest& request) {
  ASSIGN_OR_RETURN(const absl::Span<const int64_t> ids,
                   FindSplit(graph, request));
  if (request.offset() > ids.size()) {
    return absl::OutOfRangeError(absl::StrCat("offset ", request.offset(),
                                              " in split '", request.split(),
                                              "' of ", ids.size(), " ids"));
  }
  InputIdsPage page;
  page.ids = ids.subspan(request.offset(), kInputIdsPerPage);
  page.header.set_total(ids.size());
  page.header.set_count(page.ids.size());
  return page;
}

absl::StatusOr<GraphJsonPage> ServeGetGraphJson(const HeldGraph& graph,
                                                uint64_t offset) {
  const std::string& text = graph.graph().schema_json();
  if (offset > text.size()) {
    return absl::OutOfRangeError(absl::StrCat(
        "offset ", offset, " in a graph.json of ", text.size(), " bytes"));
  }
  GraphJsonPage page;
  page.text = absl::MakeConstSpan(reinterpret_cast<const uint8_t*>(text.data()),
                                  text.size())
                  .subspan(offset, kGraphPageBytes);
  page.header.set_total(text.size());
  page.header.set_sha256(graph.json_digest.data(), graph.json_digest.size());
  return page;
}

}  // namespace tributary
