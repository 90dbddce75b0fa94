// A client of TLS without gRPC, which shows what a server does to a stranger.
#ifndef TRIBUTARY_CHANNEL_TESTING_TLS_CLIENT_H_
#define TRIBUTARY_CHANNEL_TESTING_TLS_CLIENT_H_

#include <cstdint>
#include <memory>
#include <string>

#include "common/identity/tls_files.h"

struct ssl_session_st;  // OpenSSL's SSL_SESSION

namespace tributary {

using TlsSession = std::shared_ptr<ssl_session_st>;

struct TlsClientOptions {
  TlsFiles files;  // empty: shows no certificate
  bool only_tls_1_2 = false;
  TlsSession session;  // to be resumed; null: a handshake in full
};

struct TlsClientResult {
  // The server has sent bytes after the handshake, as HTTP/2 does at once.
  bool answered = false;
  std::string version;  // "TLSv1.3"
  std::string error;    // OpenSSL's last words
  bool resumed = false;
  // The session of the newest ticket of a server that answered; null if it gave
  // none.
  TlsSession session;
};

// Shakes hands with the server at a port of loopback, which it does not verify,
// offers HTTP/2, waits for its first bytes or its close, for 10 s at most, and
// hangs up.
TlsClientResult ConnectByTls(uint16_t port,
                             const TlsClientOptions& options = {});

// Sends `bytes` to the port and returns what arrives until the server closes,
// for 10 s at most.
std::string SendPlainText(uint16_t port, const std::string& bytes);

}  // namespace tributary

#endif  // TRIBUTARY_CHANNEL_TESTING_TLS_CLIENT_H_
