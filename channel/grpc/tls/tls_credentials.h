// gRPC's credentials of both ends: mutual TLS by watched files, or plain text.
#ifndef TRIBUTARY_CHANNEL_GRPC_TLS_TLS_CREDENTIALS_H_
#define TRIBUTARY_CHANNEL_GRPC_TLS_TLS_CREDENTIALS_H_

#include <grpcpp/security/credentials.h>
#include <grpcpp/security/server_credentials.h>
#include <grpcpp/security/tls_certificate_provider.h>

#include <memory>

#include "absl/status/statusor.h"
#include "channel/grpc/tls/identity_verifier.h"
#include "channel/tls/watched_tls_files.h"
#include "common/identity/tls_files.h"

namespace tributary {

// Gives gRPC the contents of TLS files, new ones at most a second after they
// came into use. Connections that are open keep what they began with.
// Thread-safe.
class GrpcTlsFiles {
 public:
  // Errors as ReadTlsMaterial's.
  static absl::StatusOr<std::unique_ptr<GrpcTlsFiles>> Start(TlsFiles files);

  const WatchedTlsFiles& watched() const { return *watched_; }
  // Reads staged(), which must live as long as the credentials made of it.
  std::shared_ptr<grpc::experimental::CertificateProviderInterface> provider()
      const {
    return provider_;
  }
  std::shared_ptr<const void> staged() const { return staged_; }

 private:
  std::shared_ptr<const void> staged_;
  std::unique_ptr<WatchedTlsFiles> watched_;
  std::shared_ptr<grpc::experimental::CertificateProviderInterface> provider_;
};

// Requires a client's certificate of an authority in `files`, with an identity
// (identity.h), and TLS 1.3, unless the process used TLS before or has its own
// GRPC_SSL_CIPHER_SUITES in the environment. Null `files`: plain text. New
// connections follow the files as long as they live; the credentials may live
// longer.
std::shared_ptr<grpc::ServerCredentials> MakeServerCredentials(
    const GrpcTlsFiles* files);

// Requires that the server's certificate is of an authority in `files` and
// names a sampler, whatever host it was dialled by, and marks `accepted` when a
// handshake has shown one. Null `files`: plain text.
std::shared_ptr<grpc::ChannelCredentials> MakeChannelCredentials(
    const GrpcTlsFiles* files, std::shared_ptr<AcceptedServer> accepted);

}  // namespace tributary

#endif  // TRIBUTARY_CHANNEL_GRPC_TLS_TLS_CREDENTIALS_H_
