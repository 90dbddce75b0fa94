// The links that a user asks for, checked and joined into one list.
#ifndef TRIBUTARY_TRAINER_CLIENT_CORE_KINDS_LINK_REQUEST_H_
#define TRIBUTARY_TRAINER_CLIENT_CORE_KINDS_LINK_REQUEST_H_

#include <cstdint>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "common/session/link_columns.h"
#include "common/session/spec_builder.h"
#include "trainer_client/core/kinds/session_options.h"

namespace tributary {

// Checks what can be known to be wrong without a graph. INVALID_ARGUMENT with
// the field, its value and what is allowed.
absl::Status CheckLinkRequest(const CommonLoaderOptions& common,
                              const LinkOptions& link);

// Sets the links of `list`, a split of edges, to what servers answered: source,
// destination and edge id of each, and its time where the list has edge_time.
// DATA_LOSS for a length that is no multiple of 3; INVALID_ARGUMENT for a link
// without a time in edge_time.
absl::Status SetLinksOfSplit(absl::Span<const int64_t> numbers,
                             EdgeTypeLinks* list);

// Returns link.negatives with `given` set where the links bring their own.
// Requires CheckLinkRequest.
NegativeSampling NegativesOf(const LinkOptions& link);

// Returns whether the links have times of their own.
bool HasTimes(const LinkOptions& link);

// The lists of all edge types as one.
struct JoinedLinks {
  LinkInputs inputs;           // what the specification says of it
  LinkColumns links;           // with their negatives
  std::vector<int64_t> times;  // one for each link, or none
};

// Joins the lists in canonical order of their edge types. Where negatives come
// in the same tensor, whose label is 0, the labels of a list with the smallest
// label 0 are increased by 1 (PyG's rule). INVALID_ARGUMENT for a wrong number
// of negatives or times, and for an edge type that is unknown or given twice.
// Requires CheckLinkRequest, and no list of a split that was not read.
absl::StatusOr<JoinedLinks> JoinLinks(const SpecGraph& graph,
                                      const LinkOptions& link);

}  // namespace tributary

#endif  // TRIBUTARY_TRAINER_CLIENT_CORE_KINDS_LINK_REQUEST_H_
