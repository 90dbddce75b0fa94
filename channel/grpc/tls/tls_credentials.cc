#include "channel/grpc/tls/tls_credentials.h"

#include <grpcpp/security/tls_credentials_options.h>

#include <stdlib.h>

#include <mutex>
#include <utility>

namespace tributary {
namespace {

// Makes gRPC log OpenSSL's code of a certificate that fails, which tells an
// expired one from a foreign one. gRPC looks there for lists of revoked
// certificates, finds none and goes on.
constexpr char kNoRevocationLists[] = "/dev/null";

// gRPC 1.51 has no option for the lowest version, but takes the ciphers of TLS
// 1.2 from the environment, once, when it makes its first TLS connection. This
// one wants a secret that both ends know beforehand, of which there is none, so
// no client gets 1.2; those of 1.3 are not in that list. A value that is set
// already stays.
void RefuseTls12() {
  static std::once_flag once;
  std::call_once(once, [] {
    setenv("GRPC_SSL_CIPHER_SUITES", "PSK-AES256-GCM-SHA384", /*replace=*/0);
  });
}

}  // namespace

std::shared_ptr<grpc::ServerCredentials> MakeServerCredentials(
    const WatchedTlsFiles* files) {
  if (files == nullptr) return grpc::InsecureServerCredentials();
  RefuseTls12();
  grpc::experimental::TlsServerCredentialsOptions options(files->provider());
  options.watch_root_certs();
  options.watch_identity_key_cert_pairs();
  options.set_cert_request_type(
      GRPC_SSL_REQUEST_AND_REQUIRE_CLIENT_CERTIFICATE_AND_VERIFY);
  options.set_crl_directory(kNoRevocationLists);
  options.set_certificate_verifier(MakeClientVerifier(files->staged()));
  return grpc::experimental::TlsServerCredentials(options);
}

std::shared_ptr<grpc::ChannelCredentials> MakeChannelCredentials(
    const WatchedTlsFiles* files, std::shared_ptr<AcceptedServer> accepted) {
  if (files == nullptr) return grpc::InsecureChannelCredentials();
  grpc::experimental::TlsChannelCredentialsOptions options;
  options.set_certificate_provider(files->provider());
  options.watch_root_certs();
  options.watch_identity_key_cert_pairs();
  options.set_check_call_host(false);
  options.set_certificate_verifier(
      MakeServerVerifier(files->staged(), std::move(accepted)));
  return grpc::experimental::TlsCredentials(options);
}

}  // namespace tributary
