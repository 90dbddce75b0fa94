#include "channel/grpc/testing/raw_http2.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <linux/tcp.h>
#include <netinet/in.h>
#include <openssl/err.h>
#include <poll.h>
#include <signal.h>
#include <sys/socket.h>

#include <algorithm>
#include <cerrno>

#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"

namespace tributary::raw_http2 {
namespace {

constexpr size_t kKept = 64 << 10;

std::string BigEndian(uint64_t value, int bytes) {
  std::string text;
  for (int i = bytes - 1; i >= 0; --i) {
    text.push_back(static_cast<char>(value >> (8 * i)));
  }
  return text;
}

uint32_t Number(const std::string& text, size_t at, int bytes) {
  uint32_t value = 0;
  for (int i = 0; i < bytes; ++i) {
    value = value << 8 | static_cast<uint8_t>(text[at + i]);
  }
  return value;
}

std::string Text(absl::string_view text) {
  return absl::StrCat(Integer(0, 7, text.size()), text);
}

std::string FieldsOfPath(absl::string_view path) {
  return absl::StrCat(Field(":method", "POST"), Field(":scheme", "http"),
                      Field(":path", path), Field(":authority", "x"),
                      Field("content-type", "application/grpc"),
                      Field("te", "trailers"));
}

sockaddr_in Loopback(const char* host, uint16_t port) {
  sockaddr_in name{};
  name.sin_family = AF_INET;
  name.sin_port = htons(port);
  inet_pton(AF_INET, host, &name.sin_addr);
  return name;
}

// Returns the session of a client that offers HTTP/2.
SSL* MakeSession(const TlsFiles& tls, absl::string_view protocol) {
  const std::unique_ptr<SSL_CTX, void (*)(SSL_CTX*)> context(
      SSL_CTX_new(TLS_client_method()), SSL_CTX_free);
  SSL_CTX_set_mode(context.get(), SSL_MODE_ENABLE_PARTIAL_WRITE |
                                      SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER);
  if (!tls.cert.empty()) {
    SSL_CTX_use_certificate_chain_file(context.get(), tls.cert.c_str());
    SSL_CTX_use_PrivateKey_file(context.get(), tls.key.c_str(),
                                SSL_FILETYPE_PEM);
  }
  const std::string alpn = absl::StrCat(
      std::string(1, static_cast<char>(protocol.size())), protocol);
  SSL_CTX_set_alpn_protos(context.get(),
                          reinterpret_cast<const unsigned char*>(alpn.data()),
                          static_cast<unsigned>(alpn.size()));
  return SSL_new(context.get());
}

}  // namespace

std::string Frame(FrameType type, uint8_t flags, uint32_t stream,
                  absl::string_view payload) {
  return absl::StrCat(BigEndian(payload.size(), 3), BigEndian(type, 1),
                      BigEndian(flags, 1), BigEndian(stream, 4), payload);
}

std::string Preface() {
  return absl::StrCat("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
                      Frame(kSettings, 0, 0, ""));
}

std::string Integer(uint8_t first, int bits, uint64_t value) {
  const uint64_t most = (1u << bits) - 1;
  if (value < most) return std::string(1, static_cast<char>(first | value));
  std::string text(1, static_cast<char>(first | most));
  for (value -= most; value >= 128; value /= 128) {
    text.push_back(static_cast<char>(value % 128 + 128));
  }
  text.push_back(static_cast<char>(value));
  return text;
}

std::string Field(absl::string_view name, absl::string_view value) {
  return absl::StrCat(std::string(1, '\0'), Text(name), Text(value));
}

std::string CallFields(absl::string_view method) {
  return FieldsOfPath(absl::StrCat("/tributary.v1.Sampler/", method));
}

std::string HealthFields(absl::string_view method) {
  return FieldsOfPath(absl::StrCat("/grpc.health.v1.Health/", method));
}

std::string MessagePrefix(uint32_t bytes, bool compressed) {
  return absl::StrCat(BigEndian(compressed ? 1 : 0, 1), BigEndian(bytes, 4));
}

Connection::Connection(uint16_t port, const char* source, const TlsFiles* tls,
                       absl::string_view protocol)
    : fd_(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
  const sockaddr_in from = Loopback(source, 0);
  const sockaddr_in to = Loopback("127.0.0.1", port);
  if (bind(fd_.get(), reinterpret_cast<const sockaddr*>(&from), sizeof(from)) !=
          0 ||
      connect(fd_.get(), reinterpret_cast<const sockaddr*>(&to), sizeof(to)) !=
          0) {
    fd_.Reset();
  } else if (tls != nullptr && !StartTls(*tls, protocol)) {
    fd_.Reset();
  }
}

bool Connection::StartTls(const TlsFiles& tls, absl::string_view protocol) {
  signal(SIGPIPE, SIG_IGN);  // OpenSSL writes without MSG_NOSIGNAL
  fcntl(fd_.get(), F_SETFL, O_NONBLOCK);
  ssl_.reset(MakeSession(tls, protocol));
  SSL_set_fd(ssl_.get(), fd_.get());
  const absl::Time deadline = absl::Now() + absl::Seconds(20);
  while (true) {
    const int done = SSL_connect(ssl_.get());
    if (done == 1) return true;
    const int why = SSL_get_error(ssl_.get(), done);
    if (why != SSL_ERROR_WANT_READ && why != SSL_ERROR_WANT_WRITE) return false;
    if (Wait(why == SSL_ERROR_WANT_READ ? POLLIN : POLLOUT, deadline) == 0) {
      return false;
    }
  }
}

ssize_t Connection::Write(absl::string_view bytes) {
  if (ssl_ == nullptr) {
    return send(fd_.get(), bytes.data(), bytes.size(),
                MSG_DONTWAIT | MSG_NOSIGNAL);
  }
  ERR_clear_error();
  size_t count = 0;
  const int done = SSL_write_ex(ssl_.get(), bytes.data(), bytes.size(), &count);
  if (done == 1) return static_cast<ssize_t>(count);
  const int why = SSL_get_error(ssl_.get(), done);
  const bool later = why == SSL_ERROR_WANT_READ || why == SSL_ERROR_WANT_WRITE;
  errno = later ? EAGAIN : EPIPE;
  return -1;
}

ssize_t Connection::Read(char* buffer, size_t bytes) {
  if (ssl_ == nullptr) return recv(fd_.get(), buffer, bytes, MSG_DONTWAIT);
  ERR_clear_error();
  size_t count = 0;
  const int done = SSL_read_ex(ssl_.get(), buffer, bytes, &count);
  if (done == 1) return static_cast<ssize_t>(count);
  const int why = SSL_get_error(ssl_.get(), done);
  errno = EAGAIN;
  return why == SSL_ERROR_WANT_READ || why == SSL_ERROR_WANT_WRITE ? -1 : 0;
}

uint64_t Connection::bytes_acknowledged() const {
  tcp_info info{};
  socklen_t bytes = sizeof(info);
  getsockopt(fd_.get(), IPPROTO_TCP, TCP_INFO, &info, &bytes);
  return info.tcpi_bytes_acked;
}

int Connection::Wait(short events, absl::Time deadline) const {
  const absl::Duration left = deadline - absl::Now();
  if (left <= absl::ZeroDuration()) return 0;
  pollfd ready{fd_.get(), events, 0};
  if (poll(&ready, 1, static_cast<int>(absl::ToInt64Milliseconds(left)) + 1) <
      0) {
    return 0;
  }
  return ready.revents;
}

bool Connection::ReceiveSome() {
  char buffer[16384];
  const ssize_t count = Read(buffer, sizeof(buffer));
  if (count == 0) return false;
  if (count < 0) return errno == EAGAIN || errno == EINTR;
  received_.append(buffer, static_cast<size_t>(count));
  unparsed_.append(buffer, static_cast<size_t>(count));
  ParseFrames();
  if (received_.size() > 2 * kKept) {
    received_.erase(0, received_.size() - kKept);
  }
  return true;
}

void Connection::ParseFrames() {
  while (unparsed_.size() >= 9) {
    const size_t bytes = Number(unparsed_, 0, 3);
    if (unparsed_.size() < 9 + bytes) return;
    const auto type = static_cast<uint8_t>(unparsed_[3]);
    if (type == kWindowUpdate) {
      windows_[Number(unparsed_, 5, 4)] += Number(unparsed_, 9, 4);
    }
    for (size_t at = 9; type == kSettings && at + 6 <= 9 + bytes; at += 6) {
      // SETTINGS_INITIAL_WINDOW_SIZE
      if (Number(unparsed_, at, 2) == 4) {
        initial_window_ = Number(unparsed_, at + 2, 4);
      }
    }
    unparsed_.erase(0, 9 + bytes);
  }
}

int64_t Connection::WindowOf(uint32_t stream) {
  return std::min(65535 + windows_[0], initial_window_ + windows_[stream]);
}

bool Connection::SendData(uint32_t stream, absl::string_view bytes,
                          absl::Duration patience) {
  const absl::Time deadline = absl::Now() + patience;
  const auto size = static_cast<int64_t>(bytes.size());
  while (WindowOf(stream) < size) {
    if (Wait(POLLIN, deadline) == 0 || !ReceiveSome()) return false;
  }
  windows_[0] -= size;
  windows_[stream] -= size;
  return Send(Frame(kData, 0, stream, bytes), patience);
}

bool Connection::Send(absl::string_view bytes, absl::Duration patience) {
  absl::Time deadline = absl::Now() + patience;
  while (!bytes.empty()) {
    const int ready = Wait(POLLIN | POLLOUT, deadline);
    if (ready == 0 || (ready & (POLLERR | POLLHUP)) != 0) return false;
    if ((ready & POLLIN) != 0 && !ReceiveSome()) return false;
    if ((ready & POLLOUT) == 0) continue;
    const ssize_t count = Write(bytes);
    if (count < 0 && errno != EAGAIN && errno != EINTR) return false;
    if (count <= 0) continue;
    bytes.remove_prefix(static_cast<size_t>(count));
    deadline = absl::Now() + patience;
  }
  return true;
}

bool Connection::Begin() {
  return Send(Preface()) && Receives(absl::string_view("\x04\0\0\0\0\0", 6)) &&
         Send(Frame(kSettings, kEndStream, 0, ""));
}

bool Connection::Closed(absl::Duration patience) {
  const absl::Time deadline = absl::Now() + patience;
  while (true) {
    const int ready = Wait(POLLIN, deadline);
    if (ready == 0) return false;
    if (!ReceiveSome()) return true;
  }
}

bool Connection::Receives(absl::string_view text, absl::Duration patience) {
  const absl::Time deadline = absl::Now() + patience;
  while (received_.find(text.data(), 0, text.size()) == std::string::npos) {
    if (Wait(POLLIN, deadline) == 0 || !ReceiveSome()) return false;
  }
  return true;
}

}  // namespace tributary::raw_http2
