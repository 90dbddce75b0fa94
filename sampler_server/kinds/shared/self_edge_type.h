// Finds edge types from a node type to itself, for kinds of sampling that stay
// in one node type.
#ifndef TRIBUTARY_SAMPLER_SERVER_KINDS_SHARED_SELF_EDGE_TYPE_H_
#define TRIBUTARY_SAMPLER_SERVER_KINDS_SHARED_SELF_EDGE_TYPE_H_

#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "partition/schema/schema.h"
#include "sampler_server/engine/plan/spec_error.h"

namespace tributary {

// Returns the index in the schema of edge type `name`, which must lead from
// `node_type` to itself; else INVALID_ARGUMENT, naming the specification's
// field.
inline absl::StatusOr<int> FindSelfEdgeType(const GraphSchema& schema,
                                            int node_type,
                                            absl::string_view field,
                                            const std::string& name) {
  const int found = schema.FindEdgeType(name);
  if (found >= 0 && schema.edge_types[found].src_type == node_type &&
      schema.edge_types[found].dst_type == node_type) {
    return found;
  }
  return SpecError(field, "'", name, "' is none from ",
                   schema.node_types[node_type].name,
                   " to itself; the graph has ", schema.EdgeTypeNames());
}

}  // namespace tributary

#endif  // TRIBUTARY_SAMPLER_SERVER_KINDS_SHARED_SELF_EDGE_TYPE_H_
