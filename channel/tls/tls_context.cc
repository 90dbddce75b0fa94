#include "channel/tls/tls_context.h"

#include <openssl/ssl.h>

#include <boost/asio/buffer.hpp>
#include <boost/asio/ssl/error.hpp>
#include <utility>

#include "absl/strings/str_cat.h"
#include "channel/tls/peer_check.h"
#include "common/observe/log.h"
#include "common/text/status.h"

namespace tributary {
namespace {

namespace asio = boost::asio;
using SslContext = asio::ssl::context;
using boost::system::error_code;

constexpr absl::Duration kReadInterval = absl::Seconds(1);

absl::Status Use(const std::string& what, const std::string& file,
                 const error_code& error) {
  if (!error) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat(what, " ", file, " cannot be used: ", error.message()));
}

absl::StatusOr<TlsContext> MakeContext(SslContext::method side,
                                       const TlsFiles& files,
                                       const TlsMaterial& material) {
  auto context = std::make_shared<SslContext>(side);
  error_code error;
  context->set_verify_mode(
      asio::ssl::verify_peer | asio::ssl::verify_fail_if_no_peer_cert, error);
  RETURN_IF_ERROR(Use("TLS with", files.ca, error));
  context->add_certificate_authority(asio::buffer(material.ca), error);
  RETURN_IF_ERROR(Use("--tls-ca", files.ca, error));
  context->use_certificate_chain(asio::buffer(material.cert), error);
  RETURN_IF_ERROR(Use("--tls-cert", files.cert, error));
  context->use_private_key(asio::buffer(material.key), SslContext::pem, error);
  RETURN_IF_ERROR(Use("--tls-key", files.key, error));
  return context;
}

}  // namespace

ReloadedTls::ReloadedTls(TlsSide side, TlsFiles files, std::string user,
                         const Clock& clock)
    : side_(side),
      files_(std::move(files)),
      user_(std::move(user)),
      clock_(&clock),
      read_(clock.Now()) {}

absl::StatusOr<ReloadedTls> ReloadedTls::Read(TlsSide side,
                                              const TlsFiles& files,
                                              std::string user,
                                              const Clock& clock) {
  ReloadedTls tls(side, files, std::move(user), clock);
  RETURN_IF_ERROR(tls.ReadFiles());
  return tls;
}

TlsContext ReloadedTls::Current() {
  const absl::Time now = clock_->Now();
  if (now - read_ < kReadInterval) return context_;
  read_ = now;
  const absl::Status read = ReadFiles();
  if (!read.ok()) {
    LogRepeated(LogLevel::kError, "reloaded-tls",
                absl::StrCat(user_, " goes on with the TLS files read before: ",
                             read.message()));
  }
  return context_;
}

absl::Status ReloadedTls::ReadFiles() {
  const auto use = [this](const TlsMaterial& material) -> absl::Status {
    ASSIGN_OR_RETURN(
        TlsContext context,
        MakeContext(side_ == TlsSide::kServer ? SslContext::tls_server
                                              : SslContext::tls_client,
                    files_, material));
    SSL_CTX* const native = context->native_handle();
    SSL_CTX_set_min_proto_version(native, TLS1_3_VERSION);
    // A session that is resumed would skip the check of its certificate.
    SSL_CTX_set_session_cache_mode(native, SSL_SESS_CACHE_OFF);
    SSL_CTX_set_num_tickets(native, 0);
    context_ = std::move(context);
    return absl::OkStatus();
  };
  return RereadTlsMaterial(files_, &in_use_, use).status();
}

absl::StatusOr<TlsContext> MakeClientContext(const TlsFiles& files) {
  ASSIGN_OR_RETURN(const TlsMaterial material, ReadTlsMaterial(files));
  return MakeContext(SslContext::tls_client, files, material);
}

absl::StatusOr<CertificateFacts> PeerCertificate(SSL* ssl) {
  const X509* const certificate = SSL_get0_peer_certificate(ssl);
  if (certificate == nullptr) {
    return absl::UnauthenticatedError("no certificate");
  }
  return FactsOfCertificate(*certificate);
}

RefusalReason ReasonOfHandshake(const error_code& error, SSL* ssl) {
  if (error == asio::error::eof || error == asio::error::connection_reset ||
      error == asio::error::broken_pipe ||
      error == asio::ssl::error::stream_truncated) {
    return RefusalReason::kGivenUp;
  }
  if (error.category() != asio::error::get_ssl_category()) {
    return RefusalReason::kOther;
  }
  switch (ERR_GET_REASON(static_cast<unsigned long>(error.value()))) {
    case SSL_R_PEER_DID_NOT_RETURN_A_CERTIFICATE:
      return RefusalReason::kNoCertificate;
    case SSL_R_CERTIFICATE_VERIFY_FAILED:
      return ReasonOfVerifyError(SSL_get_verify_result(ssl));
    default:
      return RefusalReason::kOther;
  }
}

}  // namespace tributary
