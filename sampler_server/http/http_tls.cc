#include "sampler_server/http/http_tls.h"

#include <openssl/ssl.h>

#include <boost/asio/buffer.hpp>
#include <boost/asio/ssl/error.hpp>
#include <boost/beast/core/error.hpp>
#include <utility>

#include "absl/strings/str_cat.h"
#include "common/identity/certificate.h"
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

absl::StatusOr<HttpTls::Context> MakeContext(const TlsFiles& files,
                                             const TlsMaterial& material) {
  auto context = std::make_shared<SslContext>(SslContext::tls_server);
  SSL_CTX* const native = context->native_handle();
  SSL_CTX_set_min_proto_version(native, TLS1_3_VERSION);
  // A session that is resumed would skip the check of its certificate.
  SSL_CTX_set_session_cache_mode(native, SSL_SESS_CACHE_OFF);
  SSL_CTX_set_num_tickets(native, 0);
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

RefusalReason ReasonOfCertificate(long verify_result) {
  return verify_result == X509_V_ERR_CERT_HAS_EXPIRED ||
                 verify_result == X509_V_ERR_CERT_NOT_YET_VALID
             ? RefusalReason::kExpired
             : RefusalReason::kUntrusted;
}

}  // namespace

HttpTls::HttpTls(TlsFiles files, const Clock& clock, TlsMaterial material,
                 Context context)
    : files_(std::move(files)),
      clock_(&clock),
      read_(clock.Now()),
      material_(std::move(material)),
      context_(std::move(context)) {}

absl::StatusOr<HttpTls> HttpTls::Read(const TlsFiles& files,
                                      const Clock& clock) {
  ASSIGN_OR_RETURN(TlsMaterial material, ReadTlsMaterial(files));
  ASSIGN_OR_RETURN(Context context, MakeContext(files, material));
  return HttpTls(files, clock, std::move(material), std::move(context));
}

HttpTls::Context HttpTls::Current() {
  const absl::Time now = clock_->Now();
  if (now - read_ < kReadInterval) return context_;
  read_ = now;
  const absl::Status read = ReadAgain();
  if (!read.ok()) {
    LogRepeated(LogLevel::kError, "http-tls",
                absl::StrCat("--http goes on with the TLS files read before: ",
                             read.message()));
  }
  return context_;
}

absl::Status HttpTls::ReadAgain() {
  ASSIGN_OR_RETURN(TlsMaterial material, ReadTlsMaterial(files_));
  if (material.SameTextsAs(material_)) return absl::OkStatus();
  ASSIGN_OR_RETURN(context_, MakeContext(files_, material));
  material_ = std::move(material);
  return absl::OkStatus();
}

absl::StatusOr<Identity> PeerOf(SSL* ssl) {
  const X509* const certificate = SSL_get0_peer_certificate(ssl);
  if (certificate == nullptr) {
    return absl::UnauthenticatedError("no certificate");
  }
  ASSIGN_OR_RETURN(CertificateFacts facts, FactsOfCertificate(*certificate));
  return std::move(facts.identity);
}

RefusalReason ReasonOfHandshake(const error_code& error, SSL* ssl) {
  if (error == boost::beast::error::timeout) return RefusalReason::kSlow;
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
      return ReasonOfCertificate(SSL_get_verify_result(ssl));
    default:
      return RefusalReason::kOther;
  }
}

}  // namespace tributary
