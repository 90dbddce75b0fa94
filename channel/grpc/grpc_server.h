// A server that accepts streams over gRPC.
#ifndef TRIBUTARY_CHANNEL_GRPC_GRPC_SERVER_H_
#define TRIBUTARY_CHANNEL_GRPC_GRPC_SERVER_H_

#include <cstdint>
#include <map>
#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "channel/grpc/grpc_connection_options.h"
#include "channel/grpc/tls/connection_ages.h"
#include "channel/transport.h"
#include "common/fleet/address.h"
#include "common/identity/tls_files.h"
#include "common/observe/refusal_counter.h"

namespace tributary {

struct GrpcServerOptions {
  // Port 0: any free port; address() returns it.
  Address listen{"127.0.0.1", 0};
  // Allows plaintext on addresses other than loopback.
  bool insecure = false;
  // Empty: plain text. They are read again when they change. A unix socket is
  // in plain text always: its folder's permissions and the system tell who
  // calls.
  TlsFiles tls;
  ConnectionAgeLimits age;  // with TLS; in plain text there is no limit
  GrpcConnectionOptions connection;
  // Limit of open streams over all connections; one more is refused. A caller
  // (Caller::share_key) has at most half of them alone, by SharedBudget.
  size_t max_streams = 4096;
  // Limit of open streams of one connection: the loaders of one process, with
  // up to 64 streams each, share one. A client's further streams wait.
  size_t max_connection_streams = 256;
  // See ConnectionAcceptorOptions.
  size_t max_connections = 4096;
  uint64_t receive_memory = uint64_t{512} << 20;
  // Limit of the time until a connection's handshakes are done: TLS and
  // HTTP/2's first frame of settings.
  absl::Duration handshake_timeout = absl::Seconds(10);
  // A connection without streams is closed after this time.
  absl::Duration connection_idle_timeout = absl::Minutes(5);
  // A stream on which nothing was sent or received for this time is closed
  // with a PlannedEnd.
  absl::Duration stream_idle_timeout = absl::Minutes(10);
};

// Serves the methods of tributary.v1.Sampler, and grpc.health.v1.Health/Check,
// whose status for "" follows SetServing and which is a stream like others to
// the limits below. Handlers are called on gRPC's threads.
//
// With TLS a client must show a certificate of an authority in tls.ca, with an
// identity (common/identity/identity.h), which is the Caller's of all streams
// of its connection; CheckMethodAllowed refuses streams by it before the
// acceptor sees them. A connection that has grown old closes its streams with
// PlannedEnd.
//
// A caller cannot keep others out: connections and streams are limited in all
// and shared; what is idle, or slow to begin, ends; headers are limited to 8
// KiB. A stream's unread and unfinished messages take at most receive_window.
// Thread-safe.
class GrpcServer {
 public:
  // Returns a server that listens and accepts streams; its health status is
  // NOT_SERVING until SetServing. `acceptor` outlives the server. Returns
  // INVALID_ARGUMENT for plaintext beyond loopback without `insecure`,
  // UNAVAILABLE if it cannot listen on the address, and the errors of
  // ReadTlsMaterial and CheckRoomForGrpc.
  static absl::StatusOr<std::unique_ptr<GrpcServer>> Start(
      GrpcServerOptions options, StreamAcceptor* acceptor);
  // As Shutdown without grace.
  virtual ~GrpcServer() = default;

  // Returns the address it listens on, with the actual port.
  virtual Address address() const = 0;
  virtual void SetServing(bool serving) = 0;
  virtual size_t num_streams() const = 0;
  virtual size_t num_connections() const = 0;
  // Returns how many streams were closed because they were idle.
  virtual uint64_t num_idle_streams() const = 0;
  // Returns the refusals so far, by reason: of the connections above a limit,
  // and of the connections and streams of all servers of the process that were
  // refused because of who asked for them (refused_connections.h).
  virtual std::map<std::string, uint64_t> refused_connections() const = 0;
  // Returns the streams above a limit so far, by reason.
  virtual std::map<std::string, uint64_t> refused_streams() const = 0;
  // Accepts no new streams, closes the open ones with UNAVAILABLE after their
  // queued messages, and breaks the remaining ones after `grace`. Returns when
  // every handler's OnClosed has returned; must not be called from a handler.
  virtual void Shutdown(absl::Duration grace) = 0;

 protected:
  GrpcServer() = default;
};

}  // namespace tributary

#endif  // TRIBUTARY_CHANNEL_GRPC_GRPC_SERVER_H_
