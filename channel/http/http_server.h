// A small HTTP/1.1 server for GET requests of few clients.
#ifndef TRIBUTARY_CHANNEL_HTTP_HTTP_SERVER_H_
#define TRIBUTARY_CHANNEL_HTTP_HTTP_SERVER_H_

#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "common/fleet/address.h"
#include "common/identity/identity.h"
#include "common/identity/tls_files.h"

namespace tributary {

struct HttpReply {
  unsigned status = 200;
  std::string type = "text/plain";
  std::string body;
  // Further headers, by name.
  std::vector<std::pair<std::string, std::string>> headers = {};
};

struct HttpServerOptions {
  Address listen;  // port 0: any
  // TLS 1.3 with a certificate of the client; empty: plain text.
  TlsFiles tls;
  // Returns the answer to GET PATH of a client, kAnonymous in plain text.
  // Called on the server's thread; must not wait.
  std::function<HttpReply(const std::string& path, const Identity& client)> get;
  // Within which a client must have sent its request (the handshake included),
  // and then must have taken the answer.
  absl::Duration timeout = absl::Seconds(2);
  // Limits of open connections, shared by hosts (http_places.h), and of the
  // bytes of a request.
  size_t max_connections = 64;
  size_t max_request_bytes = 8192;
};

// Answers one request for each connection, on one thread of its own, until
// destroyed. Slow and silent clients, however many, keep nobody waiting: a
// newcomer takes the place of one of them. Whoever is refused or closed so is
// counted by reason (refused_connections.h) and logged. Thread-safe.
class HttpServer {
 public:
  // UNAVAILABLE, naming the address, when it cannot listen there; for TLS files
  // that cannot be used the errors of ReadTlsMaterial().
  static absl::StatusOr<std::unique_ptr<HttpServer>> Start(
      HttpServerOptions options);
  // Breaks the connections that are open.
  virtual ~HttpServer() = default;
  // Returns the address with the port that was chosen.
  virtual const Address& address() const = 0;
};

}  // namespace tributary

#endif  // TRIBUTARY_CHANNEL_HTTP_HTTP_SERVER_H_
