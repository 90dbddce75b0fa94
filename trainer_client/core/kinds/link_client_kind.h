// The client's side of links, their negatives and the neighbourhoods of both.
#ifndef TRIBUTARY_TRAINER_CLIENT_CORE_KINDS_LINK_CLIENT_KIND_H_
#define TRIBUTARY_TRAINER_CLIENT_CORE_KINDS_LINK_CLIENT_KIND_H_

#include "trainer_client/core/kinds/client_kind.h"

namespace tributary {

// Takes LinkOptions.
const ClientKind& LinkClientKind();

}  // namespace tributary

#endif  // TRIBUTARY_TRAINER_CLIENT_CORE_KINDS_LINK_CLIENT_KIND_H_
