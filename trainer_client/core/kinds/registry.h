// Every kind of sampling that clients have. A new one is a file here, an
// alternative of KindOptions and a line of registry.cc.
#ifndef TRIBUTARY_TRAINER_CLIENT_CORE_KINDS_REGISTRY_H_
#define TRIBUTARY_TRAINER_CLIENT_CORE_KINDS_REGISTRY_H_

#include "trainer_client/core/kinds/client_kind.h"
#include "trainer_client/core/kinds/session_options.h"

namespace tributary {

// Returns the kind whose options these are; it lives as long as the program.
const ClientKind& KindOf(const KindOptions& options);

}  // namespace tributary

#endif  // TRIBUTARY_TRAINER_CLIENT_CORE_KINDS_REGISTRY_H_
