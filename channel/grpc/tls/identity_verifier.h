// Has gRPC check certificates by peer_check.h.
#ifndef TRIBUTARY_CHANNEL_GRPC_TLS_IDENTITY_VERIFIER_H_
#define TRIBUTARY_CHANNEL_GRPC_TLS_IDENTITY_VERIFIER_H_

#include <grpcpp/security/tls_certificate_verifier.h>

#include <atomic>
#include <memory>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"

namespace tributary {

// Begins the text of a client's refusal, by which it is found again in the
// longer text that gRPC makes of it.
inline constexpr absl::string_view kServerRefused = "refused the server: ";

// Tells whether a server's certificate was accepted on a channel. Thread-safe.
class AcceptedServer {
 public:
  void Mark() { marked_ = true; }
  // Returns whether it was marked since the last call.
  bool Take() { return marked_.exchange(false); }

 private:
  std::atomic<bool> marked_ = false;
};

// Decides by CheckClient. The verifier keeps `held` alive as long as gRPC uses
// it.
std::shared_ptr<grpc::experimental::CertificateVerifier> MakeClientVerifier(
    std::shared_ptr<const void> held);

// Decides by CheckServer, and marks `accepted`. The error begins with
// kServerRefused.
std::shared_ptr<grpc::experimental::CertificateVerifier> MakeServerVerifier(
    std::shared_ptr<const void> held, std::shared_ptr<AcceptedServer> accepted);

}  // namespace tributary

#endif  // TRIBUTARY_CHANNEL_GRPC_TLS_IDENTITY_VERIFIER_H_
