// The one place that chooses what carries the network's streams: gRPC and,
// where it is asked for and gets through, TCP.
#ifndef TRIBUTARY_CHANNEL_TRANSPORTS_NETWORK_CHOICE_H_
#define TRIBUTARY_CHANNEL_TRANSPORTS_NETWORK_CHOICE_H_

#include <memory>

#include "channel/grpc/grpc_server.h"
#include "channel/grpc/grpc_transport.h"
#include "channel/grpc/process_room.h"
#include "channel/network.h"
#include "channel/tcp/tcp_connections.h"
#include "channel/tcp/tcp_transport.h"
#include "channel/transports/carrier_transport.h"

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

// Returns what an open stream of such a server may take beside its messages,
// and beside receive_memory.
inline uint64_t StreamBytes(const NetworkServerOptions& options) {
  if (!options.takes_tcp) return 0;
  return options.tls.empty() ? kTcpStreamBytes : kTlsStreamBytes;
}

inline std::unique_ptr<NetworkTransport> MakeNetworkTransport(
    const NetworkTransportOptions& options) {
  if (options.carrier == Carrier::kGrpc) {
    return std::make_unique<GrpcTransport>(options);
  }
  return std::make_unique<CarrierTransport>(options);
}

// Makes one whose streams are all over TCP, those of kControl among them: to
// see whether they get through. Returns the errors of TcpTransport::Start.
inline absl::StatusOr<std::unique_ptr<NetworkTransport>> MakeTcpTransport(
    const NetworkTransportOptions& options) {
  return TcpTransport::Start(options);
}

// Whether the limits of this process leave the network what it needs. Clients
// call it before the first stream; StartNetworkServer does so itself.
inline absl::Status CheckRoomForNetwork() { return CheckRoomForGrpc(); }

}  // namespace tributary

#endif  // TRIBUTARY_CHANNEL_TRANSPORTS_NETWORK_CHOICE_H_
