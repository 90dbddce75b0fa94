// Checks whom the certificate of the other end names, once TLS has found it to
// be of a trusted authority. Host names are not looked at: servers are dialled
// by address.
#ifndef TRIBUTARY_CHANNEL_GRPC_TLS_IDENTITY_VERIFIER_H_
#define TRIBUTARY_CHANNEL_GRPC_TLS_IDENTITY_VERIFIER_H_

#include <grpcpp/security/tls_certificate_verifier.h>

#include <memory>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"

namespace tributary {

// Begins the text of a client's refusal, by which it is found again in the
// longer text that gRPC makes of it.
inline constexpr absl::string_view kServerRefused = "refused the server: ";

// Accepts clients whose certificate names anybody (identity.h); refuses and
// counts all others. The verifier keeps `held` alive as long as gRPC uses it.
std::shared_ptr<grpc::experimental::CertificateVerifier> MakeClientVerifier(
    std::shared_ptr<const void> held);

// Accepts servers whose certificate names a sampler. The error begins with
// kServerRefused.
std::shared_ptr<grpc::experimental::CertificateVerifier> MakeServerVerifier(
    std::shared_ptr<const void> held);

}  // namespace tributary

#endif  // TRIBUTARY_CHANNEL_GRPC_TLS_IDENTITY_VERIFIER_H_
