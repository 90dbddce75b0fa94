// Edge predicates and masks as docs/sampling.md defines them.
#ifndef TRIBUTARY_SAMPLER_SERVER_ENGINE_TESTING_EXPECTED_PREDICATE_H_
#define TRIBUTARY_SAMPLER_SERVER_ENGINE_TESTING_EXPECTED_PREDICATE_H_

#include <cstddef>

#include "common/session/draw_options.h"
#include "sampler_server/engine/testing/memory_graph.h"

namespace tributary {

// Returns whether the columns stored with edge `e` of `type` satisfy the
// options' predicate and mask.
bool IsEligible(const DrawOptions& draws, const MemoryGraphSpec::EdgeType& type,
                size_t e);

}  // namespace tributary

#endif  // TRIBUTARY_SAMPLER_SERVER_ENGINE_TESTING_EXPECTED_PREDICATE_H_
