// The oracle's reading of edge predicates and masks.
#ifndef TRIBUTARY_SAMPLER_SERVER_ENGINE_TESTING_EXPECTED_PREDICATE_H_
#define TRIBUTARY_SAMPLER_SERVER_ENGINE_TESTING_EXPECTED_PREDICATE_H_

#include <cstddef>

#include "common/session/draw_options.h"
#include "sampler_server/engine/testing/memory_graph.h"

namespace tributary {

// Whether edge `e` of the type may be drawn, by what is stored with it.
bool IsEligible(const DrawOptions& draws, const MemoryGraphSpec::EdgeType& type,
                size_t e);

}  // namespace tributary

#endif  // TRIBUTARY_SAMPLER_SERVER_ENGINE_TESTING_EXPECTED_PREDICATE_H_
