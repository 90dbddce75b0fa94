// The last step of a batch whose subgraph is bidirectional: adds reverse edges.
#ifndef TRIBUTARY_SAMPLER_SERVER_ENGINE_STEPS_MIRROR_EDGES_H_
#define TRIBUTARY_SAMPLER_SERVER_ENGINE_STEPS_MIRROR_EDGES_H_

#include <cstdint>

#include "sampler_server/engine/batch/batch_state.h"
#include "sampler_server/engine/plan/plan.h"

namespace tributary {

// Adds to the edges of each type the reverse of each edge of the type that
// PlannedEdgeType::mirrors names. Orders them by destination, then source, and
// keeps one edge of several between the same two nodes: a sampled one before a
// reversed one, then the lowest id. Returns false if state and working memory
// together would exceed `most_bytes`, or when `stop` says so; the state's edges
// are then incomplete.
bool MirrorEdges(const SamplingPlan& plan, uint64_t most_bytes,
                 BatchState* state, StopCheck* stop = nullptr);

}  // namespace tributary

#endif  // TRIBUTARY_SAMPLER_SERVER_ENGINE_STEPS_MIRROR_EDGES_H_
