// Checks whom the certificate of the other end names, and that it is valid now,
// once TLS has found it to be of a trusted authority. TLS checks the times too,
// but not for a session that is resumed. Host names are not looked at: servers
// are dialled by address.
#ifndef TRIBUTARY_CHANNEL_TLS_PEER_CHECK_H_
#define TRIBUTARY_CHANNEL_TLS_PEER_CHECK_H_

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "channel/tls/refused_connections.h"

namespace tributary {

// Accepts clients whose certificate names anybody (identity.h) and is valid;
// refuses and counts all others. `pem` is empty if a client has none.
absl::Status CheckClient(absl::string_view pem);

// Accepts servers whose certificate is valid and names a sampler.
// UNAUTHENTICATED or PERMISSION_DENIED for others.
absl::Status CheckServer(absl::string_view pem);

// Returns why OpenSSL did not trust a certificate, by its X509_V_ERR_...
RefusalReason ReasonOfVerifyError(long code);

}  // namespace tributary

#endif  // TRIBUTARY_CHANNEL_TLS_PEER_CHECK_H_
