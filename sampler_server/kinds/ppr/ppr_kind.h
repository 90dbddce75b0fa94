// `--kind ppr`: for each input the k nodes of the largest personalised
// PageRank, as docs/sampling.md defines it.
#ifndef TRIBUTARY_SAMPLER_SERVER_KINDS_PPR_PPR_KIND_H_
#define TRIBUTARY_SAMPLER_SERVER_KINDS_PPR_PPR_KIND_H_

#include "sampler_server/engine/plan/sampling_kind.h"

namespace tributary {

// Returns the kind; it lives as long as the program.
const SamplingKind& PprKind();

}  // namespace tributary

#endif  // TRIBUTARY_SAMPLER_SERVER_KINDS_PPR_PPR_KIND_H_
