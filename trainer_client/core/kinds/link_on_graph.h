// Checks and bounds that the kind `link` adds to those of its hops.
#ifndef TRIBUTARY_TRAINER_CLIENT_CORE_KINDS_LINK_ON_GRAPH_H_
#define TRIBUTARY_TRAINER_CLIENT_CORE_KINDS_LINK_ON_GRAPH_H_

#include "absl/status/status.h"
#include "common/session/batch_bound.h"
#include "common/session/link_columns.h"
#include "common/session/link_lists.h"
#include "common/session/spec_builder.h"
#include "partition/schema/schema.h"

namespace tributary {

// Returns which links of the specification are of which type; empty for links
// of one type, and for nodes.
LinkLists LinkListsOf(const v1::SessionSpec& spec);

// Checks that the ends of links and negatives are nodes of their types, and
// that the graph has degrees where negatives are drawn by them.
// INVALID_ARGUMENT, naming the link.
absl::Status CheckLinkEnds(const GraphSchema& schema,
                           const v1::SessionSpec& spec,
                           const LinkColumns& links);

// Sets where hops begin, and adds the links' own tensors. Requires
// bound->num_inputs and bound->node_types.
void FillLinkBound(const GraphSchema& schema, const v1::SessionSpec& spec,
                   BatchBoundInputs* bound);

}  // namespace tributary

#endif  // TRIBUTARY_TRAINER_CLIENT_CORE_KINDS_LINK_ON_GRAPH_H_
