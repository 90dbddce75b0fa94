// The client's side of layer-wise sampling.
#ifndef TRIBUTARY_TRAINER_CLIENT_CORE_KINDS_LAYERWISE_CLIENT_KIND_H_
#define TRIBUTARY_TRAINER_CLIENT_CORE_KINDS_LAYERWISE_CLIENT_KIND_H_

#include "trainer_client/core/kinds/client_kind.h"

namespace tributary {

// Takes LayerwiseOptions.
const ClientKind& LayerwiseClientKind();

}  // namespace tributary

#endif  // TRIBUTARY_TRAINER_CLIENT_CORE_KINDS_LAYERWISE_CLIENT_KIND_H_
