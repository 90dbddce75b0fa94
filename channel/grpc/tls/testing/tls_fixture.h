// A server with a recorder, and its clients, for the tests of TLS.
#ifndef TRIBUTARY_CHANNEL_GRPC_TLS_TESTING_TLS_FIXTURE_H_
#define TRIBUTARY_CHANNEL_GRPC_TLS_TESTING_TLS_FIXTURE_H_

#include <grpc/grpc.h>
#include <gtest/gtest.h>

#include <chrono>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "channel/grpc/grpc_server.h"
#include "channel/grpc/grpc_transport.h"
#include "channel/testing/recording_stream.h"
#include "common/identity/testing/test_certificates.h"

namespace tributary {

class TlsTest : public ::testing::Test {
 protected:
  static void SetUpTestSuite() { grpc_init(); }
  static void TearDownTestSuite() { grpc_shutdown(); }

  ~TlsTest() override { transports_.clear(); }

  void Serve(NetworkServerOptions options) {
    auto server = GrpcServer::Start(std::move(options), &acceptor_);
    ASSERT_TRUE(server.ok()) << server.status();
    server_ = *std::move(server);
    before_ = server_->refused_connections();
  }
  void Serve(TlsFiles files) {
    NetworkServerOptions options;
    options.tls = std::move(files);
    Serve(std::move(options));
  }
  GrpcTransport& MakeTransport(TlsFiles files) {
    NetworkTransportOptions options;
    options.tls = std::move(files);
    transports_.push_back(std::make_unique<GrpcTransport>(options));
    return *transports_.back();
  }
  std::shared_ptr<conformance::Recorder> Open(
      GrpcTransport& transport, StreamMethod method = StreamMethod::kBatches) {
    auto client = std::make_shared<conformance::Recorder>(&log_);
    client->set_stream(transport.Connect(server_->address(), method, client));
    return client;
  }
  std::shared_ptr<conformance::Recorder> Open(
      const TlsFiles& files, StreamMethod method = StreamMethod::kBatches) {
    return Open(MakeTransport(files), method);
  }
  // Returns the status that the stream ends with.
  absl::Status EndOf(conformance::Recorder& client) {
    EXPECT_TRUE(log_.WaitUntil([&] { return client.is_closed(); }));
    return client.closed().value_or(absl::UnknownError("still open"));
  }
  // Waits until the server has accepted `number` streams in all.
  bool Accepted(size_t number) {
    return log_.WaitUntil(
        [&] { return acceptor_.accepted().size() >= number; });
  }
  // Returns how many were refused for `reason` since the server started, once
  // it is `expected` or some seconds have passed: gRPC's log comes late.
  uint64_t Refused(const std::string& reason, uint64_t expected = 1) {
    const auto limit =
        std::chrono::steady_clock::now() + std::chrono::seconds(10);
    for (;;) {
      const uint64_t refused =
          server_->refused_connections()[reason] - before_[reason];
      if (refused >= expected || std::chrono::steady_clock::now() > limit) {
        return refused;
      }
      // An event is as good a time to look again as any.
      (void)log_.WaitUntil([] { return false; }, std::chrono::milliseconds(20));
    }
  }

  TestCertificates certificates_;
  conformance::Log log_;
  conformance::RecordingAcceptor acceptor_{&log_};
  std::unique_ptr<GrpcServer> server_;
  std::map<std::string, uint64_t> before_;
  std::vector<std::unique_ptr<GrpcTransport>> transports_;
};

}  // namespace tributary

#endif  // TRIBUTARY_CHANNEL_GRPC_TLS_TESTING_TLS_FIXTURE_H_
