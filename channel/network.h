// The ends of a network between processes on different machines: the server and
// the transport of its clients, and what may be set of both, whichever network
// library carries them. channel/transports makes the ones in use.
#ifndef TRIBUTARY_CHANNEL_NETWORK_H_
#define TRIBUTARY_CHANNEL_NETWORK_H_

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "channel/net/connection_ages.h"
#include "channel/transport.h"
#include "common/fleet/address.h"
#include "common/identity/tls_files.h"

namespace tributary {

// The network that carries a client's streams of batches, leaves and rows.
// Calls of kControl are gRPC's always: probes, proxies and older servers
// understand them.
enum class Carrier {
  kAuto,  // TCP to servers that take it, as long as it gets through; else gRPC
  kGrpc,
  kTcp,
};
// Reads "auto", "grpc" or "tcp". INVALID_ARGUMENT, with these, for others.
absl::StatusOr<Carrier> ParseCarrier(absl::string_view text);

// The options of a connection that both ends must agree on.
struct ConnectionOptions {
  // Limit of the headers and payloads that wait in one direction of one stream;
  // a stream with more breaks.
  size_t max_queued_bytes = size_t{256} << 20;
  // Limit of the bytes of one stream that have arrived and are not yet read. It
  // is fixed because gRPC's own estimate grows to tens of MiB over a fast
  // network with a slow reader.
  size_t receive_window = size_t{4} << 20;
  // A connection without traffic is pinged after `keepalive_time` and closed if
  // no answer arrives within `keepalive_timeout`; TCP gives up unsent data
  // after the same time. Servers tolerate pings at half this interval.
  absl::Duration keepalive_time = absl::Seconds(10);
  absl::Duration keepalive_timeout = absl::Seconds(10);
  // How long a closed stream may take to tell the other end; then it is broken.
  // Its OnClosed waits until TCP has delivered or given up the data it holds:
  // at most as long as keepalive takes.
  absl::Duration close_timeout = absl::Seconds(5);
};

struct NetworkServerOptions {
  // Port 0: any free port; address() returns it.
  Address listen{"127.0.0.1", 0};
  // Allows plaintext on addresses other than loopback.
  bool insecure = false;
  // Empty: plain text. They are read again when they change. A unix socket is
  // in plain text always: its folder's permissions and the system tell who
  // calls.
  TlsFiles tls;
  ConnectionAgeLimits age;  // with TLS; in plain text there is no limit
  // Takes streams of channel/tcp on the same port.
  bool takes_tcp = false;
  ConnectionOptions connection;
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

// Returns INVALID_ARGUMENT for plaintext on an address beyond loopback without
// `insecure`, or for a part of the TLS files only.
absl::Status CheckServerOptions(const NetworkServerOptions& options);

// Accepts streams from the network until it is shut down. Thread-safe.
class NetworkServer {
 public:
  // As Shutdown without grace.
  virtual ~NetworkServer() = default;

  // Returns the address it listens on, with the actual port.
  virtual Address address() const = 0;
  virtual void SetServing(bool serving) = 0;
  virtual size_t num_streams() const = 0;
  virtual size_t num_connections() const = 0;
  // Returns how many of num_streams() are channel/tcp's.
  virtual size_t num_tcp_streams() const = 0;
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
};

struct NetworkTransportOptions {
  Carrier carrier = Carrier::kAuto;
  ConnectionOptions connection;
  // A server that does not accept the connection within this time is
  // UNAVAILABLE.
  absl::Duration connect_timeout = absl::Seconds(5);
  // Empty: plain text. They are read again when they change. Unix sockets are
  // in plain text always.
  TlsFiles tls;
};

// A transport whose streams can be ended all at once.
class NetworkTransport : public Transport {
 public:
  // Closes the remaining streams with UNAVAILABLE and returns when every
  // OnClosed has returned, so it must not be called from a handler. Later
  // streams close at once. If an executor both calls Connect and is used by
  // handlers, call Shutdown first, then end the executor, then the transport.
  virtual void Shutdown() = 0;
};

}  // namespace tributary

#endif  // TRIBUTARY_CHANNEL_NETWORK_H_
