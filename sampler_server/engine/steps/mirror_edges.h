// The last step of a batch whose subgraph is bidirectional.
#ifndef TRIBUTARY_SAMPLER_SERVER_ENGINE_STEPS_MIRROR_EDGES_H_
#define TRIBUTARY_SAMPLER_SERVER_ENGINE_STEPS_MIRROR_EDGES_H_

#include <cstdint>

#include "sampler_server/engine/batch/batch_state.h"
#include "sampler_server/engine/plan/plan.h"

namespace tributary {

// Each edge type's drawn edges become they and the mirror images of those of
// PlannedEdgeType::mirrors: by destination, then source; of several between the
// same two one, which was drawn rather than mirrored and else has the lowest
// id. False when that takes more than `most_bytes` for the state and all; the
// state's edges are not those of a batch then.
bool MirrorEdges(const SamplingPlan& plan, uint64_t most_bytes,
                 BatchState* state);

}  // namespace tributary

#endif  // TRIBUTARY_SAMPLER_SERVER_ENGINE_STEPS_MIRROR_EDGES_H_
