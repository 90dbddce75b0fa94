// Runs the tests of all transports over TCP.
#include <gtest/gtest.h>

#include <functional>
#include <memory>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "channel/tcp/tcp_server.h"
#include "channel/tcp/tcp_transport.h"
#include "channel/testing/short_folder.h"
#include "channel/testing/transport_conformance.h"

namespace tributary::conformance {

template <bool kUnix>
class TcpHarness {
 public:
  static constexpr size_t kMaxQueued = size_t{8} << 20;

  TcpHarness() {
    NetworkTransportOptions options;
    options.connection.max_queued_bytes = kMaxQueued;
    auto transport = TcpTransport::Start(options);
    EXPECT_TRUE(transport.ok()) << transport.status();
    transport_ = *std::move(transport);
  }

  Transport* transport() { return transport_.get(); }
  Address Listen(StreamAcceptor* acceptor) {
    auto server = TcpServer::Start(Options(), acceptor);
    EXPECT_TRUE(server.ok()) << server.status();
    server_ = *std::move(server);
    return server_->address();
  }
  // A port or a path that was just given back.
  Address Nobody() {
    auto server = TcpServer::Start(Options(), nullptr);
    EXPECT_TRUE(server.ok()) << server.status();
    return (*server)->address();
  }
  bool RunUntil(Log& log, const std::function<bool()>& done) {
    return log.WaitUntil(done);
  }
  void KillServers() { server_->Shutdown(absl::ZeroDuration()); }
  size_t max_queued_bytes() { return kMaxQueued; }

 private:
  NetworkServerOptions Options() {
    NetworkServerOptions options;
    if (kUnix) {
      options.listen = {
          absl::StrCat("unix:", folder_.File(std::to_string(sockets_++))), 0};
    }
    return options;
  }

  ShortFolder folder_;
  int sockets_ = 0;
  std::unique_ptr<TcpTransport> transport_;
  std::unique_ptr<TcpServer> server_;
};

INSTANTIATE_TYPED_TEST_SUITE_P(Tcp, TransportConformance, TcpHarness<false>);
INSTANTIATE_TYPED_TEST_SUITE_P(Unix, TransportConformance, TcpHarness<true>);

}  // namespace tributary::conformance
