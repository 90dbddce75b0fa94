// The client's side of neighbour sampling, hop by hop.
#ifndef TRIBUTARY_TRAINER_CLIENT_CORE_KINDS_NEIGHBOR_CLIENT_KIND_H_
#define TRIBUTARY_TRAINER_CLIENT_CORE_KINDS_NEIGHBOR_CLIENT_KIND_H_

#include "trainer_client/core/kinds/client_kind.h"

namespace tributary {

// Takes NeighborOptions.
const ClientKind& NeighborClientKind();

}  // namespace tributary

#endif  // TRIBUTARY_TRAINER_CLIENT_CORE_KINDS_NEIGHBOR_CLIENT_KIND_H_
