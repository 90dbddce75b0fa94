#include "channel/grpc/tls/peer_identity.h"

#include <grpc/grpc_security_constants.h>

#include <string>
#include <vector>

namespace tributary {

absl::StatusOr<Identity> PeerIdentity(const grpc::AuthContext& context) {
  if (!context.IsPeerAuthenticated()) {
    return absl::UnauthenticatedError("the connection has no certificate");
  }
  std::vector<std::string> uris;
  for (const auto& uri :
       context.FindPropertyValues(GRPC_PEER_URI_PROPERTY_NAME)) {
    uris.emplace_back(uri.data(), uri.size());
  }
  return IdentityOfCertificate(uris);
}

}  // namespace tributary
