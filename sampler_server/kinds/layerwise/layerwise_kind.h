// `--kind layerwise`: LADIES and FastGCN, as docs/sampling.md defines them.
#ifndef TRIBUTARY_SAMPLER_SERVER_KINDS_LAYERWISE_LAYERWISE_KIND_H_
#define TRIBUTARY_SAMPLER_SERVER_KINDS_LAYERWISE_LAYERWISE_KIND_H_

#include "sampler_server/engine/plan/sampling_kind.h"

namespace tributary {

// Returns the kind; it lives as long as the program.
const SamplingKind& LayerwiseKind();

}  // namespace tributary

#endif  // TRIBUTARY_SAMPLER_SERVER_KINDS_LAYERWISE_LAYERWISE_KIND_H_
