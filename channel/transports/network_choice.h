// The one place that chooses what carries the network's streams: gRPC, and on a
// server's port, where it is asked for, TCP as well.
#ifndef TRIBUTARY_CHANNEL_TRANSPORTS_NETWORK_CHOICE_H_
#define TRIBUTARY_CHANNEL_TRANSPORTS_NETWORK_CHOICE_H_

#include <memory>

#include "channel/grpc/grpc_server.h"
#include "channel/grpc/grpc_transport.h"
#include "channel/grpc/process_room.h"
#include "channel/network.h"
#include "channel/tcp/tcp_connections.h"

namespace tributary {

inline absl::StatusOr<std::unique_ptr<NetworkServer>> StartNetworkServer(
    const NetworkServerOptions& options, StreamAcceptor* acceptor) {
  if (!options.takes_tcp) return GrpcServer::Start(options, acceptor);
  return GrpcServer::Start(
      options, acceptor,
      [&options, acceptor](StreamPlaces* places, RefusalCounter* refused) {
        return StartTcpConnections(options, acceptor, places, refused);
      });
}

inline std::unique_ptr<NetworkTransport> MakeNetworkTransport(
    const NetworkTransportOptions& options) {
  return std::make_unique<GrpcTransport>(options);
}

// Whether the limits of this process leave the network what it needs. Clients
// call it before the first stream; StartNetworkServer does so itself.
inline absl::Status CheckRoomForNetwork() { return CheckRoomForGrpc(); }

}  // namespace tributary

#endif  // TRIBUTARY_CHANNEL_TRANSPORTS_NETWORK_CHOICE_H_
