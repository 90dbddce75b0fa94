#include "benchmarks/channel/bare_tls_stream.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <openssl/ssl.h>
#include <sys/socket.h>

#include <algorithm>
#include <chrono>
#include <thread>
#include <utility>

#include "benchmarks/lib/measure/loopback_tcp.h"
#include "common/io/unique_fd.h"
#include "common/text/status.h"

namespace tributary {
namespace {

constexpr size_t kAtOnce = size_t{1} << 20;

struct FreeSsl {
  void operator()(SSL_CTX* context) const { SSL_CTX_free(context); }
  void operator()(SSL* ssl) const { SSL_free(ssl); }
};

absl::Status TlsError(const char* what) { return absl::UnavailableError(what); }

absl::StatusOr<std::unique_ptr<SSL, FreeSsl>> Session(const SSL_METHOD* side,
                                                      const TlsFiles& files,
                                                      const UniqueFd& socket) {
  const std::unique_ptr<SSL_CTX, FreeSsl> context(SSL_CTX_new(side));
  if (context == nullptr ||
      SSL_CTX_use_certificate_chain_file(context.get(), files.cert.c_str()) !=
          1 ||
      SSL_CTX_use_PrivateKey_file(context.get(), files.key.c_str(),
                                  SSL_FILETYPE_PEM) != 1) {
    return TlsError("bare TLS: the files cannot be used");
  }
  std::unique_ptr<SSL, FreeSsl> ssl(SSL_new(context.get()));
  if (ssl == nullptr || SSL_set_fd(ssl.get(), socket.get()) != 1) {
    return TlsError("bare TLS: no session");
  }
  return ssl;
}

class BareTlsSourceImpl final : public BareTlsSource {
 public:
  BareTlsSourceImpl(TlsFiles files, absl::Span<const uint8_t> room,
                    uint64_t bytes)
      : files_(std::move(files)), room_(room), bytes_(bytes) {}
  ~BareTlsSourceImpl() override {
    shutdown(listener_.get(), SHUT_RDWR);
    if (thread_.joinable()) thread_.join();
  }

  absl::Status Listen() {
    listener_ = UniqueFd(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
    sockaddr_in at = LoopbackAt(0);
    socklen_t size = sizeof(at);
    auto* const name = reinterpret_cast<sockaddr*>(&at);
    if (bind(listener_.get(), name, size) != 0 ||
        listen(listener_.get(), 1) != 0 ||
        getsockname(listener_.get(), name, &size) != 0) {
      return TlsError("bare TLS: cannot listen");
    }
    port_ = ntohs(at.sin_port);
    thread_ = std::thread([this] { ServeAll(); });
    return absl::OkStatus();
  }
  uint16_t port() const override { return port_; }

 private:
  void ServeAll() {
    while (true) {
      const UniqueFd socket(
          accept4(listener_.get(), nullptr, nullptr, SOCK_CLOEXEC));
      if (!socket.valid()) return;
      const auto ssl = Session(TLS_server_method(), files_, socket);
      if (!ssl.ok() || SSL_accept(ssl->get()) != 1) continue;
      uint64_t left = bytes_;
      for (size_t at = 0; left > 0; at = (at + kAtOnce) % room_.size()) {
        const size_t n = std::min<uint64_t>(left, kAtOnce);
        size_t written = 0;
        if (SSL_write_ex(ssl->get(), room_.data() + at, n, &written) != 1) {
          break;
        }
        left -= n;
      }
    }
  }

  const TlsFiles files_;
  const absl::Span<const uint8_t> room_;
  const uint64_t bytes_;
  UniqueFd listener_;
  uint16_t port_ = 0;
  std::thread thread_;
};

}  // namespace

absl::StatusOr<std::unique_ptr<BareTlsSource>> BareTlsSource::Start(
    const TlsFiles& files, absl::Span<const uint8_t> room, uint64_t bytes) {
  if (room.size() % kAtOnce != 0 || room.empty()) {
    return absl::InvalidArgumentError(
        "bare TLS: a room of whole MiB is needed");
  }
  auto source = std::make_unique<BareTlsSourceImpl>(files, room, bytes);
  RETURN_IF_ERROR(source->Listen());
  return source;
}

absl::StatusOr<double> BareTlsSeconds(const TlsFiles& files, uint16_t port,
                                      uint64_t bytes, absl::Span<uint8_t> to) {
  const UniqueFd socket(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  const sockaddr_in at = LoopbackAt(port);
  if (connect(socket.get(), reinterpret_cast<const sockaddr*>(&at),
              sizeof(at)) != 0) {
    return TlsError("bare TLS: cannot connect");
  }
  ASSIGN_OR_RETURN(const auto ssl, Session(TLS_client_method(), files, socket));
  if (SSL_connect(ssl.get()) != 1) {
    return TlsError("bare TLS: the handshake failed");
  }
  const auto start = std::chrono::steady_clock::now();
  for (uint64_t done = 0; done < bytes;) {
    const size_t begin = done % to.size();
    size_t read = 0;
    if (SSL_read_ex(ssl.get(), to.data() + begin,
                    std::min<uint64_t>(to.size() - begin, bytes - done),
                    &read) != 1) {
      return TlsError("bare TLS: the connection ended");
    }
    done += read;
  }
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start)
      .count();
}

}  // namespace tributary
