// Checks that the role of a certificate may open a stream of a method.
#ifndef TRIBUTARY_CHANNEL_METHOD_ROLES_H_
#define TRIBUTARY_CHANNEL_METHOD_ROLES_H_

#include "absl/status/status.h"
#include "channel/transport.h"
#include "common/identity/identity.h"

namespace tributary {

// Returns PERMISSION_DENIED, with the role, the method and the roles that are
// allowed, unless `identity` may open a stream of `method`:
//
//   Leaf           samplers
//   StreamBatches  trainers and operators
//   Data           trainers and operators
//   Control        samplers, trainers and operators
//
// Anonymous callers, whose connection is in plain text, may open all of them:
// such servers listen on loopback, or with --insecure. Servers call it before
// the stream has a handler.
absl::Status CheckMethodAllowed(StreamMethod method, const Identity& identity);

}  // namespace tributary

#endif  // TRIBUTARY_CHANNEL_METHOD_ROLES_H_
