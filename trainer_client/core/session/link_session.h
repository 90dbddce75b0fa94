// What links ask of a graph, beside what neighbour sampling does.
#ifndef TRIBUTARY_TRAINER_CLIENT_CORE_SESSION_LINK_SESSION_H_
#define TRIBUTARY_TRAINER_CLIENT_CORE_SESSION_LINK_SESSION_H_

#include "absl/status/status.h"
#include "common/session/batch_bound.h"
#include "common/session/link_columns.h"
#include "common/session/link_lists.h"
#include "common/session/spec_builder.h"
#include "partition/schema/schema.h"

namespace tributary {

// Which of the specification's links are of which type.
LinkLists LinkListsOf(const v1::SessionSpec& spec);

// INVALID_ARGUMENT, naming the link, for an end or a negative that is no node
// of its type; for degrees that the graph has not.
absl::Status CheckLinkEnds(const GraphSchema& schema,
                           const v1::SessionSpec& spec,
                           const LinkColumns& links);

// Where hops begin, and the links' own tensors. Requires bound->num_inputs.
void FillLinkBound(const GraphSchema& schema, const v1::SessionSpec& spec,
                   BatchBoundInputs* bound);

}  // namespace tributary

#endif  // TRIBUTARY_TRAINER_CLIENT_CORE_SESSION_LINK_SESSION_H_
