// Names that a user gives, on their way into a specification.
#ifndef TRIBUTARY_TRAINER_CLIENT_CORE_SESSION_SESSION_NAMES_H_
#define TRIBUTARY_TRAINER_CLIENT_CORE_SESSION_SESSION_NAMES_H_

#include "absl/status/status.h"
#include "trainer_client/core/session/loader_options.h"

namespace tributary {

// They travel in protobuf strings: INVALID_ARGUMENT for one that is not UTF-8.
absl::Status CheckNames(const NeighborLoaderOptions& options);

}  // namespace tributary

#endif  // TRIBUTARY_TRAINER_CLIENT_CORE_SESSION_SESSION_NAMES_H_
