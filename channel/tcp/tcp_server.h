// A server that accepts streams over TCP connections of their own.
#ifndef TRIBUTARY_CHANNEL_TCP_TCP_SERVER_H_
#define TRIBUTARY_CHANNEL_TCP_TCP_SERVER_H_

#include <memory>

#include "absl/status/statusor.h"
#include "channel/network.h"
#include "channel/transport.h"

namespace tributary {

// Serves all StreamMethods; a connection carries one stream, so that
// max_connections limits streams as well, by host, and max_connection_streams
// has no meaning. Handlers are called on the threads of a few loops.
//
// All other limits are those of NetworkServerOptions: a connection whose stream
// is not open within handshake_timeout is cut and counted as "slow", and
// connection_idle_timeout is that of streams. A message that is being received
// takes its own size, at most kMaxEnvelopeBytes, and a connection more as
// tcp_connections.h says.
// With TLS a client must show a certificate of an authority in tls.ca, with an
// identity, which is the Caller's of its stream; a client that is refused
// learns why. A stream whose connection has grown old closes with PlannedEnd.
//
// There is no health check: SetServing does nothing. Thread-safe.
class TcpServer : public NetworkServer {
 public:
  // `acceptor` outlives the server. Returns INVALID_ARGUMENT for plaintext
  // beyond loopback without `insecure`, UNAVAILABLE if it cannot listen on the
  // address, RESOURCE_EXHAUSTED without threads or descriptors, and the errors
  // of ReadTlsMaterial.
  static absl::StatusOr<std::unique_ptr<TcpServer>> Start(
      NetworkServerOptions options, StreamAcceptor* acceptor);
};

}  // namespace tributary

#endif  // TRIBUTARY_CHANNEL_TCP_TCP_SERVER_H_
