// Batches of the link kind, computed straight from docs/sampling.md: in
// original ids, one negative at a time, with the neighbours of
// ExpectedDigestFrom.
#ifndef TRIBUTARY_TESTS_KINDS_DEFINED_LINKS_H_
#define TRIBUTARY_TESTS_KINDS_DEFINED_LINKS_H_

#include <cstdint>
#include <string>
#include <vector>

#include "common/session/kinds/link_spec.h"
#include "sampler_server/engine/testing/one_batch.h"

namespace tributary {

// Returns the number of nodes of the type; 0 if the graph has no such type.
int64_t NodesOf(const MemoryGraphSpec& graph, const std::string& name);

// The links of one supervision edge type in the list of inputs.
struct DefinedLinkList {
  const MemoryGraphSpec::EdgeType* type = nullptr;  // one of the graph's
  int64_t count = 0;
};

// Returns the digest that the batch of all `lists`, one after another, must
// have. The request's inputs are in the epoch's order within each list.
std::string DefinedLinkDigest(const MemoryGraphSpec& graph,
                              const std::vector<DefinedLinkList>& lists,
                              const SpecOptions& options,
                              const NegativeSampling& negatives,
                              ExcludeMode exclude, bool enclosing,
                              const BatchRequest& request);

}  // namespace tributary

#endif  // TRIBUTARY_TESTS_KINDS_DEFINED_LINKS_H_
