// gRPC for the tests of all networks.
#ifndef TRIBUTARY_CHANNEL_GRPC_TESTING_GRPC_NETWORK_H_
#define TRIBUTARY_CHANNEL_GRPC_TESTING_GRPC_NETWORK_H_

#include <memory>

#include "channel/grpc/grpc_server.h"
#include "channel/grpc/grpc_transport.h"

namespace tributary {

// A Network of network_test.h.
struct GrpcNetwork {
  static absl::StatusOr<std::unique_ptr<NetworkServer>> Serve(
      const NetworkServerOptions& options, StreamAcceptor* acceptor) {
    return GrpcServer::Start(options, acceptor);
  }
  static std::unique_ptr<NetworkTransport> MakeTransport(
      const NetworkTransportOptions& options) {
    return std::make_unique<GrpcTransport>(options);
  }
};

}  // namespace tributary

#endif  // TRIBUTARY_CHANNEL_GRPC_TESTING_GRPC_NETWORK_H_
