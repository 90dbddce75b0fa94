// The oracle's reading of edge predicates.
#ifndef TRIBUTARY_SAMPLER_SERVER_ENGINE_TESTING_ORACLE_PREDICATE_H_
#define TRIBUTARY_SAMPLER_SERVER_ENGINE_TESTING_ORACLE_PREDICATE_H_

#include <cstddef>

#include "common/session/edge_condition.h"
#include "sampler_server/engine/testing/memory_graph.h"

namespace tributary {

// Whether edge `e` of the type meets the conditions for it.
bool MeetsPredicate(const EdgePredicates& predicates,
                    const MemoryGraphSpec::EdgeType& type, size_t e);

}  // namespace tributary

#endif  // TRIBUTARY_SAMPLER_SERVER_ENGINE_TESTING_ORACLE_PREDICATE_H_
