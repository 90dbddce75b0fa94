// The suite that every transport must pass, over mutual TLS.
#include <gtest/gtest.h>

#include <memory>

#include "channel/grpc/grpc_server.h"
#include "channel/grpc/grpc_transport.h"
#include "channel/testing/transport_conformance.h"
#include "common/identity/testing/test_certificates.h"

namespace tributary::conformance {

// Opens each stream as a role that may: leaf streams as a sampler, all others
// as a trainer.
class ByRole final : public Transport {
 public:
  ByRole(NetworkTransportOptions options, TestCertificates& certificates)
      : trainer_(With(options, certificates.Trainer("job"))),
        sampler_(With(options, certificates.Sampler("peer"))) {}

  std::shared_ptr<Stream> Connect(
      const Address& address, StreamMethod method,
      std::shared_ptr<StreamHandler> handler) override {
    GrpcTransport& as = method == StreamMethod::kLeaf ? sampler_ : trainer_;
    return as.Connect(address, method, std::move(handler));
  }

 private:
  static NetworkTransportOptions With(NetworkTransportOptions options,
                                      TlsFiles files) {
    options.tls = std::move(files);
    return options;
  }
  GrpcTransport trainer_;
  GrpcTransport sampler_;
};

class TlsHarness {
 public:
  static constexpr size_t kMaxQueued = size_t{8} << 20;

  TlsHarness() {
    NetworkTransportOptions options;
    options.connection.max_queued_bytes = kMaxQueued;
    transport_ = std::make_unique<ByRole>(options, certificates_);
  }

  Transport* transport() { return transport_.get(); }
  Address Listen(StreamAcceptor* acceptor) {
    server_ = Start(acceptor);
    return server_->address();
  }
  Address Nobody() { return Start(nullptr)->address(); }
  bool RunUntil(Log& log, const std::function<bool()>& done) {
    return log.WaitUntil(done);
  }
  void KillServers() { server_->Shutdown(absl::ZeroDuration()); }
  size_t max_queued_bytes() { return kMaxQueued; }

 private:
  std::unique_ptr<GrpcServer> Start(StreamAcceptor* acceptor) {
    NetworkServerOptions options;
    options.tls = certificates_.Sampler();
    auto server = GrpcServer::Start(options, acceptor);
    EXPECT_TRUE(server.ok()) << server.status();
    return *std::move(server);
  }

  TestCertificates certificates_;
  std::unique_ptr<ByRole> transport_;
  std::unique_ptr<GrpcServer> server_;
};

INSTANTIATE_TYPED_TEST_SUITE_P(Tls, TransportConformance, TlsHarness);

}  // namespace tributary::conformance
