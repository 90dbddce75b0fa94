// `--kind node`: neighbours hop after hop, as docs/sampling.md defines them;
// PyG's NeighborSampler, DGL's blocks.
#ifndef TRIBUTARY_SAMPLER_SERVER_KINDS_NEIGHBOR_NEIGHBOR_KIND_H_
#define TRIBUTARY_SAMPLER_SERVER_KINDS_NEIGHBOR_NEIGHBOR_KIND_H_

#include "sampler_server/engine/plan/sampling_kind.h"

namespace tributary {

// Returns the kind; it lives as long as the program.
const SamplingKind& NeighborKind();

}  // namespace tributary

#endif  // TRIBUTARY_SAMPLER_SERVER_KINDS_NEIGHBOR_NEIGHBOR_KIND_H_
