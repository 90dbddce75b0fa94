#include "channel/grpc/tls/tls_credentials.h"

#include <grpcpp/security/tls_credentials_options.h>

#include <stdlib.h>

#include <mutex>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "channel/grpc/tls/memory_file.h"
#include "common/text/status.h"

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

// gRPC polls the files in memory in whole seconds.
constexpr unsigned kProviderSeconds = 1;

// The files that gRPC reads. Certificate and key are one file, so that no
// reader sees a new one beside an old one.
struct StagedFiles {
  MemoryFile authorities;
  MemoryFile pair;
};

}  // namespace

absl::StatusOr<std::unique_ptr<GrpcTlsFiles>> GrpcTlsFiles::Start(
    TlsFiles files) {
  auto started = std::make_unique<GrpcTlsFiles>();
  auto staged = std::make_shared<StagedFiles>();
  started->staged_ = staged;
  const auto use = [staged](const TlsMaterial& material) -> absl::Status {
    RETURN_IF_ERROR(staged->authorities.Replace(material.ca));
    return staged->pair.Replace(
        absl::StrCat(material.cert, "\n", material.key));
  };
  ASSIGN_OR_RETURN(started->watched_,
                   WatchedTlsFiles::Start(std::move(files), use));
  // Their paths stay the same, whatever is replaced meanwhile.
  const std::string pair = staged->pair.path();
  started->provider_ =
      std::make_shared<grpc::experimental::FileWatcherCertificateProvider>(
          pair, pair, staged->authorities.path(), kProviderSeconds);
  return started;
}

std::shared_ptr<grpc::ServerCredentials> MakeServerCredentials(
    const GrpcTlsFiles* files) {
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
    const GrpcTlsFiles* files, std::shared_ptr<AcceptedServer> accepted) {
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
