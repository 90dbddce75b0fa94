// The client's side of the top k nodes by personalised PageRank.
#ifndef TRIBUTARY_TRAINER_CLIENT_CORE_KINDS_PPR_CLIENT_KIND_H_
#define TRIBUTARY_TRAINER_CLIENT_CORE_KINDS_PPR_CLIENT_KIND_H_

#include "trainer_client/core/kinds/client_kind.h"

namespace tributary {

// Takes PprOptions.
const ClientKind& PprClientKind();

}  // namespace tributary

#endif  // TRIBUTARY_TRAINER_CLIENT_CORE_KINDS_PPR_CLIENT_KIND_H_
