// Accepts streams over gRPC.
#ifndef TRIBUTARY_CHANNEL_GRPC_GRPC_SERVER_H_
#define TRIBUTARY_CHANNEL_GRPC_GRPC_SERVER_H_

#include <memory>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "channel/grpc/grpc_connection_options.h"
#include "channel/transport.h"
#include "common/fleet/address.h"

namespace grpc {
class ServerCredentials;
}  // namespace grpc

namespace tributary {

struct GrpcServerOptions {
  // Port 0: any that is free; address() says which.
  Address listen{"127.0.0.1", 0};
  // Allows plaintext on other than loopback addresses.
  bool insecure = false;
  // Null: plaintext.
  std::shared_ptr<grpc::ServerCredentials> credentials;
  GrpcConnectionOptions connection;
  // At once, over all connections; one more is refused.
  size_t max_streams = 4096;
};

// Serves tributary.v1.Sampler's three methods and grpc.health.v1.Health, whose
// status for "" follows SetServing. Thread-safe.
class GrpcServer {
 public:
  // Listens on return, and serves: health says NOT_SERVING until SetServing.
  // `acceptor` outlives the server. INVALID_ARGUMENT: plaintext beyond loopback
  // without `insecure`; UNAVAILABLE: the address cannot be listened on.
  static absl::StatusOr<std::unique_ptr<GrpcServer>> Start(
      GrpcServerOptions options, StreamAcceptor* acceptor);
  // As Shutdown, at once.
  virtual ~GrpcServer() = default;

  // Where it listens, with the real port.
  virtual Address address() const = 0;
  virtual void SetServing(bool serving) = 0;
  virtual size_t num_streams() const = 0;
  // Takes no new streams, closes those that are there with UNAVAILABLE after
  // what they have queued, and after `grace` breaks them. Returns when every
  // handler's OnClosed has returned; must not be called from a handler.
  virtual void Shutdown(absl::Duration grace) = 0;

 protected:
  GrpcServer() = default;
};

}  // namespace tributary

#endif  // TRIBUTARY_CHANNEL_GRPC_GRPC_SERVER_H_
