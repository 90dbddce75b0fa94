// The client's side of random walks.
#ifndef TRIBUTARY_TRAINER_CLIENT_CORE_KINDS_WALK_CLIENT_KIND_H_
#define TRIBUTARY_TRAINER_CLIENT_CORE_KINDS_WALK_CLIENT_KIND_H_

#include "trainer_client/core/kinds/client_kind.h"

namespace tributary {

// Takes WalkOptions.
const ClientKind& WalkClientKind();

}  // namespace tributary

#endif  // TRIBUTARY_TRAINER_CLIENT_CORE_KINDS_WALK_CLIENT_KIND_H_
