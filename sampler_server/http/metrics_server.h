// Serves /metrics and /healthz over HTTP, for Prometheus and Kubernetes.
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
  // Returns the text of /metrics. Called on threads of the server, one call at
  // a time.
  absl::AnyInvocable<std::string()> metrics;
  // OK: /healthz answers 200 "ok"; else 503 and the message. Called like
  // `metrics`.
  absl::AnyInvocable<absl::Status()> health;
};

// Answers GET requests until destroyed, on three threads of its own
// (civetweb's: two that answer, one that accepts), and cuts off requests that
// are slow or too large. No TLS: it should listen where only those who may read
// the metrics can reach it. Thread-safe.
class MetricsServer {
 public:
  // UNAVAILABLE, naming the address, when it cannot listen there.
  static absl::StatusOr<std::unique_ptr<MetricsServer>> Start(
      MetricsServerOptions options);
  virtual ~MetricsServer() = default;
  // Returns the address with the port that was chosen.
  virtual const Address& address() const = 0;
};

}  // namespace tributary

#endif  // TRIBUTARY_SAMPLER_SERVER_HTTP_METRICS_SERVER_H_
