#include "sampler_server/http/http_tls.h"

#include <sys/stat.h>

#include <tuple>
#include <utility>

#include "absl/strings/str_cat.h"
#include "common/identity/certificate.h"
#include "common/observe/log.h"
#include "common/text/status.h"

namespace tributary {
namespace {

using SslContext = boost::asio::ssl::context;
using boost::system::error_code;

absl::Status Use(const std::string& what, const std::string& file,
                 const error_code& error) {
  if (!error) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat(what, " ", file, " cannot be used: ", error.message()));
}

absl::StatusOr<HttpTls::Context> MakeContext(const TlsFiles& files) {
  auto context = std::make_shared<SslContext>(SslContext::tls_server);
  SSL_CTX* const native = context->native_handle();
  SSL_CTX_set_min_proto_version(native, TLS1_3_VERSION);
  // A session that is resumed would skip the check of its certificate.
  SSL_CTX_set_session_cache_mode(native, SSL_SESS_CACHE_OFF);
  SSL_CTX_set_num_tickets(native, 0);
  error_code error;
  context->set_verify_mode(boost::asio::ssl::verify_peer |
                               boost::asio::ssl::verify_fail_if_no_peer_cert,
                           error);
  RETURN_IF_ERROR(Use("TLS with", files.ca, error));
  context->load_verify_file(files.ca, error);
  RETURN_IF_ERROR(Use("--tls-ca", files.ca, error));
  context->use_certificate_chain_file(files.cert, error);
  RETURN_IF_ERROR(Use("--tls-cert", files.cert, error));
  // Also refuses a key that is not the certificate's.
  context->use_private_key_file(files.key, SslContext::pem, error);
  RETURN_IF_ERROR(Use("--tls-key", files.key, error));
  return context;
}

}  // namespace

bool HttpTls::Stamp::operator==(const Stamp& other) const {
  return std::tie(device, inode, size, modified.tv_sec, modified.tv_nsec) ==
         std::tie(other.device, other.inode, other.size, other.modified.tv_sec,
                  other.modified.tv_nsec);
}

HttpTls::HttpTls(TlsFiles files, Stamps stamps, Context context)
    : files_(std::move(files)), stamps_(stamps), context_(std::move(context)) {}

HttpTls::Stamps HttpTls::StampsOf(const TlsFiles& files) {
  Stamps stamps;
  size_t i = 0;
  for (const std::string* path : {&files.ca, &files.cert, &files.key}) {
    struct stat facts {};
    Stamp& stamp = stamps[i++];
    if (stat(path->c_str(), &facts) != 0) continue;
    stamp = {facts.st_dev, facts.st_ino, static_cast<uint64_t>(facts.st_size),
             facts.st_mtim};
  }
  return stamps;
}

absl::StatusOr<HttpTls> HttpTls::Read(const TlsFiles& files) {
  const Stamps stamps = StampsOf(files);  // before they are read
  ASSIGN_OR_RETURN(Context context, MakeContext(files));
  return HttpTls(files, stamps, std::move(context));
}

HttpTls::Context HttpTls::Current() {
  const Stamps now = StampsOf(files_);
  if (now == stamps_) return context_;
  auto context = MakeContext(files_);
  if (context.ok()) {
    stamps_ = now;
    context_ = *std::move(context);
  } else {
    LogRepeated(
        LogLevel::kError, "http-tls",
        absl::StrCat("--http goes on with the certificate read before: ",
                     context.status().message()));
  }
  return context_;
}

absl::StatusOr<Identity> PeerOf(SSL* ssl) {
  const X509* const certificate = SSL_get0_peer_certificate(ssl);
  if (certificate == nullptr) {
    return absl::UnauthenticatedError("no certificate");
  }
  ASSIGN_OR_RETURN(CertificateFacts facts, FactsOfCertificate(*certificate));
  return std::move(facts.identity);
}

}  // namespace tributary
