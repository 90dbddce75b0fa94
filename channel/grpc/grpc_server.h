// A server that accepts streams over gRPC.
#ifndef TRIBUTARY_CHANNEL_GRPC_GRPC_SERVER_H_
#define TRIBUTARY_CHANNEL_GRPC_GRPC_SERVER_H_

#include <memory>

#include "absl/status/statusor.h"
#include "channel/network.h"
#include "channel/second_protocol.h"
#include "channel/transport.h"

namespace tributary {

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
class GrpcServer : public NetworkServer {
 public:
  // Returns a server that listens and accepts streams; its health status is
  // NOT_SERVING until SetServing. `acceptor` outlives the server. Returns
  // INVALID_ARGUMENT for plaintext beyond loopback without `insecure`,
  // UNAVAILABLE if it cannot listen on the address, and the errors of
  // ReadTlsMaterial and CheckRoomForGrpc.
  //
  // `second` makes what takes the connections that do not begin with HTTP/2;
  // null: nothing does. Connections whose first bytes do not tell within 2 s
  // are gRPC's.
  static absl::StatusOr<std::unique_ptr<GrpcServer>> Start(
      NetworkServerOptions options, StreamAcceptor* acceptor,
      const MakeSecondProtocol& second = nullptr);
};

}  // namespace tributary

#endif  // TRIBUTARY_CHANNEL_GRPC_GRPC_SERVER_H_
