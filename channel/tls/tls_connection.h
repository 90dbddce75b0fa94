// TLS over a connected, non-blocking socket.
#ifndef TRIBUTARY_CHANNEL_TLS_TLS_CONNECTION_H_
#define TRIBUTARY_CHANNEL_TLS_TLS_CONNECTION_H_

#include <openssl/ssl.h>
#include <sys/types.h>
#include <sys/uio.h>

#include <cstddef>
#include <memory>
#include <string>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "channel/tls/refused_connections.h"
#include "channel/tls/tls_context.h"

namespace tributary {

// Reads and writes as readv and sendmsg do. What is written is encrypted into
// memory of its own, at most kMostEncrypted bytes and what one more piece
// takes, so that a write that the socket does not take needs no second try with
// the same bytes; Flush sends the rest. Not thread-safe.
class TlsConnection {
 public:
  static constexpr size_t kMostEncrypted = size_t{64} << 10;

  // `fd` stays open while the result is used. `alpn`: the protocol that a
  // client offers; empty: none. INTERNAL if OpenSSL has no memory.
  static absl::StatusOr<std::unique_ptr<TlsConnection>> Start(
      TlsContext context, TlsSide side, int fd, absl::string_view alpn = "");

  // Goes on with the handshake; returns whether it is done. Call it again when
  // the socket can be read, or written while Flush returns false. Returns
  // UNAVAILABLE if the other end closed and UNAUTHENTICATED for what else went
  // wrong; the alert that says so has been sent as far as the socket took it.
  absl::StatusOr<bool> Handshake();
  // Why Handshake failed.
  RefusalReason reason() const { return reason_; }
  // Returns the other end's certificate, after the handshake; empty: none.
  std::string PeerPem() const;

  // Return what readv and sendmsg return and set errno. Read returns fewer
  // bytes than asked for only if no more have arrived. After EPROTO, error()
  // says what was wrong.
  ssize_t Read(absl::Span<iovec> pieces);
  ssize_t Write(absl::Span<iovec> pieces);
  // UNAUTHENTICATED if the other end refuses this one's certificate, else
  // DATA_LOSS.
  const absl::Status& error() const { return error_; }
  // Sends what is encrypted; returns whether nothing is left to be sent.
  bool Flush();
  // Returns whether bytes that were read from the socket wait for Read: the
  // socket does not report them.
  bool has_pending() const { return SSL_has_pending(ssl_.get()) == 1; }

 private:
  struct Free {
    void operator()(SSL* ssl) const { SSL_free(ssl); }
  };
  TlsConnection(TlsContext context, std::unique_ptr<SSL, Free> ssl, int fd)
      : context_(std::move(context)), ssl_(std::move(ssl)), fd_(fd) {}
  ssize_t ReadPiece(void* to, size_t bytes);
  absl::Status Failed(int result);

  const TlsContext context_;
  const std::unique_ptr<SSL, Free> ssl_;
  const int fd_;
  size_t sent_ = 0;  // of what is encrypted
  RefusalReason reason_ = RefusalReason::kOther;
  absl::Status error_;
};

}  // namespace tributary

#endif  // TRIBUTARY_CHANNEL_TLS_TLS_CONNECTION_H_
