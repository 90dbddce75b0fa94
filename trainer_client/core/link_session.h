// What links ask of a graph, beside what neighbour sampling does.
#ifndef TRIBUTARY_TRAINER_CLIENT_CORE_LINK_SESSION_H_
#define TRIBUTARY_TRAINER_CLIENT_CORE_LINK_SESSION_H_

#include <cstdint>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "common/session/batch_bound.h"
#include "partition/format/schema.h"
#include "trainer_client/core/dist_neighbor_loader.h"

namespace tributary {

// What can be known to be wrong without a graph. Requires options.link.
absl::Status CheckLinkRequest(const NeighborLoaderOptions& options);

// Of a split of edges as servers give it: source, destination and edge id each.
absl::StatusOr<LinkColumns> LinksOfSplit(absl::string_view name,
                                         absl::Span<const int64_t> numbers);

// How negatives are had: `given` where they come with the links.
NegativeSampling NegativesOf(const LinkRequest& request);

// The links as they travel, with their negatives. Beside negatives in the same
// tensor, which are 0, labels of which the smallest is 0 grow by 1 (PyG's).
// INVALID_ARGUMENT for another number of negatives than links want.
absl::StatusOr<LinkColumns> LinksToSend(const LinkRequest& request);

// INVALID_ARGUMENT, naming the link, for an end or a negative that is no node
// of its type; for degrees that the graph has not.
absl::Status CheckLinkEnds(const GraphSchema& schema,
                           const v1::SessionSpec& spec,
                           const LinkColumns& links);

// Where hops begin, and the links' own tensors. Requires bound->num_inputs.
void FillLinkBound(const GraphSchema& schema, const v1::SessionSpec& spec,
                   BatchBoundInputs* bound);

}  // namespace tributary

#endif  // TRIBUTARY_TRAINER_CLIENT_CORE_LINK_SESSION_H_
