// A server that accepts streams over gRPC.
#ifndef TRIBUTARY_CHANNEL_GRPC_GRPC_SERVER_H_
#define TRIBUTARY_CHANNEL_GRPC_GRPC_SERVER_H_

#include <memory>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "channel/grpc/grpc_connection_options.h"
#include "channel/transport.h"
#include "common/fleet/address.h"
#include "common/identity/tls_files.h"

namespace tributary {

struct GrpcServerOptions {
  // Port 0: any free port; address() returns it.
  Address listen{"127.0.0.1", 0};
  // Allows plaintext on addresses other than loopback.
  bool insecure = false;
  TlsFiles tls;  // empty: plaintext
  GrpcConnectionOptions connection;
  // Limit of open streams over all connections; one more is refused.
  size_t max_streams = 4096;
};

// Serves the three methods of tributary.v1.Sampler, and grpc.health.v1.Health,
// whose status for "" follows SetServing. Handlers are called on gRPC's
// threads. Thread-safe.
class GrpcServer {
 public:
  // Returns a server that listens and accepts streams; its health status is
  // NOT_SERVING until SetServing. `acceptor` outlives the server. Returns
  // INVALID_ARGUMENT for plaintext beyond loopback without `insecure`, and
  // UNAVAILABLE if it cannot listen on the address.
  static absl::StatusOr<std::unique_ptr<GrpcServer>> Start(
      GrpcServerOptions options, StreamAcceptor* acceptor);
  // As Shutdown without grace.
  virtual ~GrpcServer() = default;

  // Returns the address it listens on, with the actual port.
  virtual Address address() const = 0;
  virtual void SetServing(bool serving) = 0;
  virtual size_t num_streams() const = 0;
  // Accepts no new streams, closes the open ones with UNAVAILABLE after their
  // queued messages, and breaks the remaining ones after `grace`. Returns when
  // every handler's OnClosed has returned; must not be called from a handler.
  virtual void Shutdown(absl::Duration grace) = 0;

 protected:
  GrpcServer() = default;
};

}  // namespace tributary

#endif  // TRIBUTARY_CHANNEL_GRPC_GRPC_SERVER_H_
