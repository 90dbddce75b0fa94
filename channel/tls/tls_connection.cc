#include "channel/tls/tls_connection.h"

#include <openssl/bio.h>
#include <openssl/err.h>
#include <openssl/pem.h>
#include <sys/socket.h>

#include <algorithm>
#include <boost/asio/error.hpp>
#include <boost/asio/ssl/error.hpp>
#include <cerrno>

#include "absl/strings/str_cat.h"

namespace tributary {
namespace {

// Bytes that are read from the socket at once, while more arrive.
constexpr size_t kReadBuffer = size_t{64} << 10;
constexpr size_t kEncryptedAtOnce = size_t{64} << 10;

// The alerts of a server that refuses a client's certificate: TLS 1.3 checks it
// once the client has done its part of the handshake.
bool IsRefusal(unsigned long error) {
  switch (ERR_GET_REASON(error)) {
    case SSL_R_TLSV13_ALERT_CERTIFICATE_REQUIRED:
    case SSL_R_TLSV1_ALERT_UNKNOWN_CA:
    case SSL_R_SSLV3_ALERT_BAD_CERTIFICATE:
    case SSL_R_SSLV3_ALERT_CERTIFICATE_EXPIRED:
    case SSL_R_SSLV3_ALERT_CERTIFICATE_UNKNOWN:
      return true;
    default:
      return false;
  }
}

bool IsPlainText(unsigned long error) {
  switch (ERR_GET_REASON(error)) {
    case SSL_R_WRONG_VERSION_NUMBER:
    case SSL_R_HTTP_REQUEST:
    case SSL_R_PACKET_LENGTH_TOO_LONG:
      return true;
    default:
      return false;
  }
}

std::string TextOf(unsigned long error) {
  const char* const text = ERR_reason_error_string(error);
  return text == nullptr ? "the connection broke" : text;
}

}  // namespace

absl::StatusOr<std::unique_ptr<TlsConnection>> TlsConnection::Start(
    TlsContext context, TlsSide side, int fd, absl::string_view alpn) {
  std::unique_ptr<SSL, Free> ssl(SSL_new(context->native_handle()));
  BIO* const in = BIO_new_socket(fd, BIO_NOCLOSE);
  BIO* const out = BIO_new(BIO_s_mem());
  if (ssl == nullptr || in == nullptr || out == nullptr) {
    BIO_free(in);
    BIO_free(out);
    return absl::InternalError("OpenSSL has no memory for a connection");
  }
  SSL_set_bio(ssl.get(), in, out);
  SSL_set_mode(ssl.get(), SSL_MODE_RELEASE_BUFFERS);
  SSL_set_read_ahead(ssl.get(), 1);
  SSL_set_default_read_buffer_len(ssl.get(), kReadBuffer);
  if (!alpn.empty()) {
    std::string offer(1, static_cast<char>(alpn.size()));
    offer.append(alpn.data(), alpn.size());
    SSL_set_alpn_protos(ssl.get(),
                        reinterpret_cast<const unsigned char*>(offer.data()),
                        static_cast<unsigned>(offer.size()));
  }
  side == TlsSide::kServer ? SSL_set_accept_state(ssl.get())
                           : SSL_set_connect_state(ssl.get());
  return std::unique_ptr<TlsConnection>(
      new TlsConnection(std::move(context), std::move(ssl), fd));
}

absl::StatusOr<bool> TlsConnection::Handshake() {
  ERR_clear_error();
  const int result = SSL_do_handshake(ssl_.get());
  absl::Status failed;
  if (result != 1) failed = Failed(result);
  Flush();
  if (!failed.ok()) return failed;
  return result == 1;
}

// Returns OK if only bytes of the other end are missing.
absl::Status TlsConnection::Failed(int result) {
  const int kind = SSL_get_error(ssl_.get(), result);
  if (kind == SSL_ERROR_WANT_READ || kind == SSL_ERROR_WANT_WRITE) {
    return absl::OkStatus();
  }
  const unsigned long error = ERR_peek_error();
  if (kind == SSL_ERROR_SYSCALL || kind == SSL_ERROR_ZERO_RETURN ||
      ERR_GET_REASON(error) == SSL_R_UNEXPECTED_EOF_WHILE_READING) {
    reason_ = RefusalReason::kGivenUp;
    return absl::UnavailableError("the connection ended in the TLS handshake");
  }
  reason_ = IsPlainText(error)
                ? RefusalReason::kNotTls
                : ReasonOfHandshake(boost::system::error_code(
                                        static_cast<int>(error),
                                        boost::asio::error::get_ssl_category()),
                                    ssl_.get());
  const long verified = SSL_get_verify_result(ssl_.get());
  return absl::UnauthenticatedError(absl::StrCat(
      "TLS handshake: ", TextOf(error), verified == X509_V_OK ? "" : ": ",
      verified == X509_V_OK ? "" : X509_verify_cert_error_string(verified)));
}

std::string TlsConnection::PeerPem() const {
  X509* const certificate = SSL_get0_peer_certificate(ssl_.get());
  if (certificate == nullptr) return "";
  const std::unique_ptr<BIO, int (*)(BIO*)> text(BIO_new(BIO_s_mem()),
                                                 BIO_free);
  if (text == nullptr || PEM_write_bio_X509(text.get(), certificate) != 1) {
    return "";
  }
  char* data = nullptr;
  const long bytes = BIO_get_mem_data(text.get(), &data);
  return std::string(data, static_cast<size_t>(bytes));
}

ssize_t TlsConnection::Read(absl::Span<iovec> pieces) {
  ssize_t read = 0;
  for (const iovec& piece : pieces) {
    const ssize_t n = ReadPiece(piece.iov_base, piece.iov_len);
    // Bytes that have been read are handled first; the next call reports the
    // end.
    if (n <= 0) return read > 0 ? read : n;
    read += n;
    if (static_cast<size_t>(n) < piece.iov_len) return read;
  }
  return read;
}

ssize_t TlsConnection::ReadPiece(void* to, size_t bytes) {
  size_t done = 0;
  while (done < bytes) {
    ERR_clear_error();
    errno = 0;
    size_t n = 0;
    const int result = SSL_read_ex(ssl_.get(), static_cast<uint8_t*>(to) + done,
                                   bytes - done, &n);
    if (result == 1) {
      done += n;
      continue;
    }
    if (done > 0) break;
    switch (SSL_get_error(ssl_.get(), result)) {
      case SSL_ERROR_WANT_READ:
      case SSL_ERROR_WANT_WRITE:
        errno = EAGAIN;
        return -1;
      case SSL_ERROR_ZERO_RETURN:
        return 0;
      case SSL_ERROR_SYSCALL:
        if (errno == 0) return 0;
        return -1;
      default:
        break;
    }
    const unsigned long error = ERR_peek_error();
    if (ERR_GET_REASON(error) == SSL_R_UNEXPECTED_EOF_WHILE_READING) return 0;
    error_ = IsRefusal(error)
                 ? absl::UnauthenticatedError(absl::StrCat(
                       "the server refuses this process' certificate: ",
                       TextOf(error)))
                 : absl::DataLossError(absl::StrCat("TLS: ", TextOf(error)));
    errno = EPROTO;
    return -1;
  }
  return static_cast<ssize_t>(done);
}

ssize_t TlsConnection::Write(absl::Span<iovec> pieces) {
  if (!Flush()) {
    errno = EAGAIN;
    return -1;
  }
  size_t written = 0;
  for (const iovec& piece : pieces) {
    for (size_t at = 0; at < piece.iov_len && written < kMostEncrypted;) {
      const size_t n = std::min(piece.iov_len - at, kEncryptedAtOnce);
      size_t done = 0;
      ERR_clear_error();
      if (SSL_write_ex(ssl_.get(),
                       static_cast<const uint8_t*>(piece.iov_base) + at, n,
                       &done) != 1) {
        errno = EPIPE;
        return -1;
      }
      at += done;
      written += done;
    }
  }
  Flush();
  return static_cast<ssize_t>(written);
}

bool TlsConnection::Flush() {
  BIO* const out = SSL_get_wbio(ssl_.get());
  char* data = nullptr;
  const auto bytes = static_cast<size_t>(BIO_get_mem_data(out, &data));
  while (sent_ < bytes) {
    const ssize_t n =
        send(fd_, data + sent_, bytes - sent_, MSG_NOSIGNAL | MSG_DONTWAIT);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) return false;
    if (n < 0) break;  // reading reports what has happened
    sent_ += static_cast<size_t>(n);
  }
  sent_ = 0;
  (void)BIO_reset(out);
  return true;
}

}  // namespace tributary
