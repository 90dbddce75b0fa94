// Links as docs/sampling.md words them, written down once more: original ids,
// one negative at a time, neighbours by the oracle of neighbour sampling.
#ifndef TRIBUTARY_TESTS_KINDS_DEFINED_LINKS_H_
#define TRIBUTARY_TESTS_KINDS_DEFINED_LINKS_H_

#include <cstdint>
#include <string>
#include <vector>

#include "common/session/kinds/link_spec.h"
#include "sampler_server/engine/testing/one_batch.h"

namespace tributary {

// 0 of a type that there is not.
int64_t NodesOf(const MemoryGraphSpec& graph, const std::string& name);

// Links of one supervision type in the list of inputs.
struct DefinedLinkList {
  const MemoryGraphSpec::EdgeType* type = nullptr;  // one of the graph's
  int64_t count = 0;
};

// The digest that the batch must have of the lists one after the other; the
// request's inputs are in the epoch's order within each.
std::string DefinedLinkDigest(const MemoryGraphSpec& graph,
                              const std::vector<DefinedLinkList>& lists,
                              const SpecOptions& options,
                              const NegativeSampling& negatives,
                              ExcludeMode exclude, bool enclosing,
                              const BatchRequest& request);

}  // namespace tributary

#endif  // TRIBUTARY_TESTS_KINDS_DEFINED_LINKS_H_
