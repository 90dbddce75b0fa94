#include <gtest/gtest.h>

#include <memory>
#include <string>

#include "absl/strings/str_cat.h"
#include "channel/grpc/grpc_server.h"
#include "channel/grpc/grpc_transport.h"
#include "channel/testing/short_folder.h"
#include "channel/testing/transport_conformance.h"

namespace tributary::conformance {

template <bool kUnix>
class GrpcHarness {
 public:
  static constexpr size_t kMaxQueued = size_t{8} << 20;

  GrpcHarness() {
    NetworkTransportOptions options;
    options.connection.max_queued_bytes = kMaxQueued;
    transport_ = std::make_unique<GrpcTransport>(options);
  }

  Transport* transport() { return transport_.get(); }
  Address Listen(StreamAcceptor* acceptor) {
    auto server = GrpcServer::Start(Options(), acceptor);
    EXPECT_TRUE(server.ok()) << server.status();
    server_ = *std::move(server);
    return server_->address();
  }
  // A port or a path that was just given back.
  Address Nobody() {
    auto server = GrpcServer::Start(Options(), nullptr);
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
  std::unique_ptr<GrpcTransport> transport_;
  std::unique_ptr<GrpcServer> server_;
};

INSTANTIATE_TYPED_TEST_SUITE_P(Grpc, TransportConformance, GrpcHarness<false>);
INSTANTIATE_TYPED_TEST_SUITE_P(Unix, TransportConformance, GrpcHarness<true>);

}  // namespace tributary::conformance
