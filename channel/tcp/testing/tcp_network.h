// Streams over TCP for the tests of all networks.
#ifndef TRIBUTARY_CHANNEL_TCP_TESTING_TCP_NETWORK_H_
#define TRIBUTARY_CHANNEL_TCP_TESTING_TCP_NETWORK_H_

#include <gtest/gtest.h>

#include <memory>

#include "channel/tcp/tcp_server.h"
#include "channel/tcp/tcp_transport.h"

namespace tributary {

// A Network of network_test.h.
struct TcpNetwork {
  static absl::StatusOr<std::unique_ptr<NetworkServer>> Serve(
      const NetworkServerOptions& options, StreamAcceptor* acceptor) {
    return TcpServer::Start(options, acceptor);
  }
  static std::unique_ptr<NetworkTransport> MakeTransport(
      const NetworkTransportOptions& options) {
    auto transport = TcpTransport::Start(options);
    EXPECT_TRUE(transport.ok()) << transport.status();
    return *std::move(transport);
  }
};

}  // namespace tributary

#endif  // TRIBUTARY_CHANNEL_TCP_TESTING_TCP_NETWORK_H_
