// Serves /metrics and /healthz over HTTP, for Prometheus and Kubernetes, and a
// page for people.
#ifndef TRIBUTARY_CHANNEL_HTTP_METRICS_SERVER_H_
#define TRIBUTARY_CHANNEL_HTTP_METRICS_SERVER_H_

#include <functional>
#include <memory>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "channel/http/http_server.h"
#include "common/fleet/address.h"
#include "common/identity/identity.h"
#include "common/identity/tls_files.h"

namespace tributary {

struct MetricsServerOptions {
  Address listen;  // port 0: any
  // With TLS operators and samplers are answered, and trainers refused (403)
  // everything but the page; empty: plain text, for anyone who reaches the
  // port.
  TlsFiles tls;
  // Returns the text of /metrics; empty: only /healthz is served. Called on the
  // server's thread, one call at a time.
  std::function<std::string()> metrics;
  // OK: /healthz answers 200 "ok"; else 503 and the message. Called like
  // `metrics`.
  std::function<absl::Status()> health;
  // Returns the page at "/" for a client, which shows it no more than it may
  // see; empty: there is none. Called like `metrics`; must not wait.
  std::function<HttpReply(const Identity& client)> page;
};

// Answers GET requests until destroyed, on one thread of its own, and cuts off
// requests that are slow or too large (HttpServer). Thread-safe.
class MetricsServer {
 public:
  // Returns the errors of HttpServer::Start().
  static absl::StatusOr<std::unique_ptr<MetricsServer>> Start(
      MetricsServerOptions options);
  virtual ~MetricsServer() = default;
  // Returns the address with the port that was chosen.
  virtual const Address& address() const = 0;
};

}  // namespace tributary

#endif  // TRIBUTARY_CHANNEL_HTTP_METRICS_SERVER_H_
