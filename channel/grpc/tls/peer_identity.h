// Reads the identity of the other end of an accepted call.
#ifndef TRIBUTARY_CHANNEL_GRPC_TLS_PEER_IDENTITY_H_
#define TRIBUTARY_CHANNEL_GRPC_TLS_PEER_IDENTITY_H_

#include <grpcpp/security/auth_context.h>

#include "absl/status/statusor.h"
#include "common/identity/identity.h"

namespace tributary {

// Returns the identity of the connection that a call over TLS came on; it does
// not change while the connection lasts. UNAUTHENTICATED if the certificate
// names nobody, which the verifier of the handshake refuses as well.
absl::StatusOr<Identity> PeerIdentity(const grpc::AuthContext& context);

}  // namespace tributary

#endif  // TRIBUTARY_CHANNEL_GRPC_TLS_PEER_IDENTITY_H_
