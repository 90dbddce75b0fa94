// `--kind layerwise`: LADIES, as docs/sampling.md defines it.
#ifndef TRIBUTARY_SAMPLER_SERVER_KINDS_LAYERWISE_LAYERWISE_KIND_H_
#define TRIBUTARY_SAMPLER_SERVER_KINDS_LAYERWISE_LAYERWISE_KIND_H_

#include "sampler_server/engine/plan/sampling_kind.h"

namespace tributary {

const SamplingKind& LayerwiseKind();

}  // namespace tributary

#endif  // TRIBUTARY_SAMPLER_SERVER_KINDS_LAYERWISE_LAYERWISE_KIND_H_
