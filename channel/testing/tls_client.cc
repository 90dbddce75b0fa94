#include "channel/testing/tls_client.h"

#include <netinet/in.h>
#include <openssl/err.h>
#include <openssl/ssl.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include <memory>

#include "common/io/unique_fd.h"

namespace tributary {
namespace {

struct Free {
  void operator()(SSL_CTX* context) const { SSL_CTX_free(context); }
  void operator()(SSL* ssl) const { SSL_free(ssl); }
};

UniqueFd Dial(uint16_t port) {
  UniqueFd fd(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  const timeval most{10, 0};
  setsockopt(fd.get(), SOL_SOCKET, SO_RCVTIMEO, &most, sizeof(most));
  setsockopt(fd.get(), SOL_SOCKET, SO_SNDTIMEO, &most, sizeof(most));
  sockaddr_in to{};
  to.sin_family = AF_INET;
  to.sin_port = htons(port);
  to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  if (connect(fd.get(), reinterpret_cast<sockaddr*>(&to), sizeof(to)) != 0) {
    fd.Reset();
  }
  return fd;
}

std::unique_ptr<SSL_CTX, Free> MakeContext(const TlsClientOptions& options) {
  std::unique_ptr<SSL_CTX, Free> context(SSL_CTX_new(TLS_client_method()));
  if (options.only_tls_1_2) {
    SSL_CTX_set_max_proto_version(context.get(), TLS1_2_VERSION);
  }
  static constexpr unsigned char kHttp2[] = {2, 'h', '2'};
  SSL_CTX_set_alpn_protos(context.get(), kHttp2, sizeof(kHttp2));
  if (!options.files.empty()) {
    SSL_CTX_use_certificate_chain_file(context.get(),
                                       options.files.cert.c_str());
    SSL_CTX_use_PrivateKey_file(context.get(), options.files.key.c_str(),
                                SSL_FILETYPE_PEM);
  }
  return context;
}

TlsSession TicketOf(SSL* ssl) {
  TlsSession session(SSL_get1_session(ssl), SSL_SESSION_free);
  return SSL_SESSION_is_resumable(session.get()) == 1 ? session : nullptr;
}

}  // namespace

TlsClientResult ConnectByTls(uint16_t port, const TlsClientOptions& options) {
  ERR_clear_error();
  const UniqueFd fd = Dial(port);
  const auto context = MakeContext(options);
  const std::unique_ptr<SSL, Free> ssl(SSL_new(context.get()));
  SSL_set_fd(ssl.get(), fd.get());
  if (options.session != nullptr) {
    SSL_set_session(ssl.get(), options.session.get());
  }
  TlsClientResult result;
  if (SSL_connect(ssl.get()) == 1) {
    char byte = 0;
    result.answered = SSL_read(ssl.get(), &byte, 1) == 1;
    result.resumed = SSL_session_reused(ssl.get()) == 1;
  }
  if (result.answered) {
    result.session = TicketOf(ssl.get());
    SSL_shutdown(ssl.get());  // else OpenSSL takes the session for a bad one
  }
  result.version = SSL_get_version(ssl.get());
  char text[256];
  ERR_error_string_n(ERR_peek_last_error(), text, sizeof(text));
  result.error = text;
  ERR_clear_error();
  return result;
}

std::string SendPlainText(uint16_t port, const std::string& bytes) {
  const UniqueFd fd = Dial(port);
  std::string received;
  if (send(fd.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL) < 0) return "";
  char part[512];
  for (;;) {
    const ssize_t got = recv(fd.get(), part, sizeof(part), 0);
    if (got <= 0) return received;
    received.append(part, static_cast<size_t>(got));
  }
}

}  // namespace tributary
