// `--kind link`: neighbourhoods of links and of negatives, as docs/sampling.md
// defines them; PyG's LinkNeighborLoader, GLT's DistLinkNeighborLoader, DGL's
// as_edge_prediction_sampler.
#ifndef TRIBUTARY_SAMPLER_SERVER_KINDS_LINK_LINK_KIND_H_
#define TRIBUTARY_SAMPLER_SERVER_KINDS_LINK_LINK_KIND_H_

#include "sampler_server/engine/plan/sampling_kind.h"

namespace tributary {

// Returns the kind; it lives as long as the program.
const SamplingKind& LinkKind();

}  // namespace tributary

#endif  // TRIBUTARY_SAMPLER_SERVER_KINDS_LINK_LINK_KIND_H_
