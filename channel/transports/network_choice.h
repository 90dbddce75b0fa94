// The one place that chooses what carries the network's streams: gRPC.
#ifndef TRIBUTARY_CHANNEL_TRANSPORTS_NETWORK_CHOICE_H_
#define TRIBUTARY_CHANNEL_TRANSPORTS_NETWORK_CHOICE_H_

#include <memory>

#include "channel/grpc/grpc_server.h"
#include "channel/grpc/grpc_transport.h"
#include "channel/grpc/process_room.h"
#include "channel/network.h"

namespace tributary {

inline absl::StatusOr<std::unique_ptr<NetworkServer>> StartNetworkServer(
    const NetworkServerOptions& options, StreamAcceptor* acceptor) {
  return GrpcServer::Start(options, acceptor);
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
