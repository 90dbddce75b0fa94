// Which links a user asks for, before they meet a graph's schema.
#ifndef TRIBUTARY_TRAINER_CLIENT_CORE_SESSION_LINK_REQUEST_H_
#define TRIBUTARY_TRAINER_CLIENT_CORE_SESSION_LINK_REQUEST_H_

#include <cstdint>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "common/session/spec_builder.h"
#include "trainer_client/core/session/loader_options.h"

namespace tributary {

// INVALID_ARGUMENT: "LinkNeighborLoaderOptions.FIELD is VALUE; allowed: ...".
absl::Status BadLinkOption(absl::string_view field, absl::string_view value,
                           absl::string_view allowed);

// What can be known to be wrong without a graph. Requires options.link.
absl::Status CheckLinkRequest(const NeighborLoaderOptions& options);

// Of a split of edges as servers give it: source, destination and edge id each.
absl::StatusOr<LinkColumns> LinksOfSplit(absl::string_view name,
                                         absl::Span<const int64_t> numbers);

// How negatives are had: `given` where they come with the links.
NegativeSampling NegativesOf(const LinkRequest& request);

// Whether the links' times come with them.
bool HasTimes(const LinkRequest& request);

// A request's lists as they travel: one list.
struct JoinedLinks {
  LinkInputs inputs;           // what the specification says of it
  LinkColumns links;           // with their negatives
  std::vector<int64_t> times;  // as many, or none
};

// In canonical order of the edge types. Beside negatives in the same tensor,
// which are 0, labels of a list of which the smallest is 0 grow by 1 (PyG's).
// INVALID_ARGUMENT for another number of negatives or times than links want,
// for an edge type that there is not or twice. Requires CheckLinkRequest.
absl::StatusOr<JoinedLinks> JoinLinks(const SpecGraph& graph,
                                      const LinkRequest& request);

}  // namespace tributary

#endif  // TRIBUTARY_TRAINER_CLIENT_CORE_SESSION_LINK_REQUEST_H_
