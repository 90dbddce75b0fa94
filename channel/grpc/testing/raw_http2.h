// HTTP/2 by the byte: what no honest client sends.
#ifndef TRIBUTARY_CHANNEL_GRPC_TESTING_RAW_HTTP2_H_
#define TRIBUTARY_CHANNEL_GRPC_TESTING_RAW_HTTP2_H_

#include <openssl/ssl.h>
#include <sys/types.h>

#include <cstdint>
#include <map>
#include <memory>
#include <string>

#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "common/identity/tls_files.h"
#include "common/io/unique_fd.h"

namespace tributary::raw_http2 {

enum FrameType : uint8_t {
  kData = 0,
  kHeaders = 1,
  kRstStream = 3,
  kSettings = 4,
  kPing = 6,
  kWindowUpdate = 8,
  kContinuation = 9,
};
inline constexpr uint8_t kEndStream = 1;  // and the ACK of settings and pings
inline constexpr uint8_t kEndHeaders = 4;

// Returns a frame with its header of 9 bytes (RFC 9113, 4.1).
std::string Frame(FrameType type, uint8_t flags, uint32_t stream,
                  absl::string_view payload);
// Returns the client's preface with a first frame of settings.
std::string Preface();
// Returns a header field that is not indexed (RFC 7541, 6.2.2).
std::string Field(absl::string_view name, absl::string_view value);
// Returns an integer with a prefix of `bits` bits, under `first`.
std::string Integer(uint8_t first, int bits, uint64_t value);
// Returns the header fields of a call of a stream's method.
std::string CallFields(absl::string_view method = "StreamBatches");
// The same of a method of grpc.health.v1.Health.
std::string HealthFields(absl::string_view method = "Check");
// Returns the prefix of a gRPC message: its flag and its length.
std::string MessagePrefix(uint32_t bytes, bool compressed = false);

// A TCP connection over loopback. Not thread-safe.
class Connection {
 public:
  // Connects from `source`, an address of 127.0.0.0/8; with `tls` by TLS, with
  // a certificate if it names one, and without looking at the server's, to
  // which it offers `protocol` (ALPN).
  explicit Connection(uint16_t port, const char* source = "127.0.0.1",
                      const TlsFiles* tls = nullptr,
                      absl::string_view protocol = "h2");

  // The client's handshakes are done.
  bool connected() const { return fd_.valid(); }
  int fd() const { return fd_.get(); }
  // Returns the bytes that the server's kernel has taken.
  uint64_t bytes_acknowledged() const;
  // Sends all bytes, and drops what arrives meanwhile. Returns false if the
  // server has closed, or takes nothing for `patience`.
  bool Send(absl::string_view bytes,
            absl::Duration patience = absl::Seconds(20));
  // Sends a frame of data once the windows of connection and stream have room
  // for it. Returns false as Send does.
  bool SendData(uint32_t stream, absl::string_view bytes,
                absl::Duration patience = absl::Seconds(20));
  // Sends preface and settings, and acknowledges the server's.
  bool Begin();
  // Receives until the server has closed, and returns true; false once
  // `patience` has passed.
  bool Closed(absl::Duration patience = absl::Seconds(20));
  // Receives until `text` has arrived. False if the server closed before, or
  // `patience` has passed.
  bool Receives(absl::string_view text,
                absl::Duration patience = absl::Seconds(20));

 private:
  bool StartTls(const TlsFiles& tls, absl::string_view protocol);
  // As send() and recv() of a socket that does not block.
  ssize_t Write(absl::string_view bytes);
  ssize_t Read(char* buffer, size_t bytes);
  // Waits for an event of poll(); returns its revents, 0 when it is too late.
  int Wait(short events, absl::Time deadline) const;
  // Returns false at the end.
  bool ReceiveSome();
  // Takes the windows from the frames that have arrived.
  void ParseFrames();
  int64_t WindowOf(uint32_t stream);

  UniqueFd fd_;
  std::unique_ptr<SSL, void (*)(SSL*)> ssl_{nullptr, SSL_free};
  std::string received_;  // the last bytes
  std::string unparsed_;
  int64_t initial_window_ = 65535;
  std::map<uint32_t, int64_t> windows_;  // updates less data sent; 0: in all
};

}  // namespace tributary::raw_http2

#endif  // TRIBUTARY_CHANNEL_GRPC_TESTING_RAW_HTTP2_H_
