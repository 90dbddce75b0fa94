// /metrics and /healthz over HTTP, for Prometheus and Kubernetes.
#ifndef TRIBUTARY_SAMPLER_SERVER_HTTP_METRICS_SERVER_H_
#define TRIBUTARY_SAMPLER_SERVER_HTTP_METRICS_SERVER_H_

#include <memory>
#include <string>

#include "absl/functional/any_invocable.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "common/fleet/address.h"

namespace tributary {

struct MetricsServerOptions {
  Address listen;  // port 0: any
  // The text for /metrics. Called on threads of the server, one at a time.
  absl::AnyInvocable<std::string()> metrics;
  // OK: /healthz says 200 "ok"; else 503 and the message. Likewise.
  absl::AnyInvocable<absl::Status()> health;
};

// Serves GET until destroyed, on three threads of its own (civetweb's: two that
// answer, one that accepts); requests that are slow or too large are cut off by
// its limits. No TLS: see that it
// listens where only those who may read figures can reach it.
class MetricsServer {
 public:
  // UNAVAILABLE, naming the address, when it cannot listen.
  static absl::StatusOr<std::unique_ptr<MetricsServer>> Start(
      MetricsServerOptions options);
  virtual ~MetricsServer() = default;
  // With the port that was chosen.
  virtual const Address& address() const = 0;
};

}  // namespace tributary

#endif  // TRIBUTARY_SAMPLER_SERVER_HTTP_METRICS_SERVER_H_
