// The parts that tests of all networks share: harnesses for the suite that
// every transport must pass, and a server with clients whose events are
// recorded.
//
// A `Network` has
//
//   static absl::StatusOr<std::unique_ptr<NetworkServer>> Serve(
//       const NetworkServerOptions& options, StreamAcceptor* acceptor);
//   static std::unique_ptr<NetworkTransport> MakeTransport(
//       const NetworkTransportOptions& options);
#ifndef TRIBUTARY_CHANNEL_TESTING_NETWORK_TEST_H_
#define TRIBUTARY_CHANNEL_TESTING_NETWORK_TEST_H_

#include <gtest/gtest.h>

#include <chrono>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "channel/network.h"
#include "channel/testing/recording_stream.h"
#include "channel/testing/short_folder.h"
#include "common/identity/testing/test_certificates.h"

namespace tributary::conformance {

// Opens each stream as a role that may: leaf streams as a sampler, all others
// as a trainer.
class ByRole final : public Transport {
 public:
  ByRole(std::unique_ptr<NetworkTransport> trainer,
         std::unique_ptr<NetworkTransport> sampler)
      : trainer_(std::move(trainer)), sampler_(std::move(sampler)) {}

  std::shared_ptr<Stream> Connect(
      const Address& address, StreamMethod method,
      std::shared_ptr<StreamHandler> handler) override {
    NetworkTransport& as =
        method == StreamMethod::kLeaf ? *sampler_ : *trainer_;
    return as.Connect(address, method, std::move(handler));
  }

 private:
  const std::unique_ptr<NetworkTransport> trainer_, sampler_;
};

enum class Over { kTcp, kUnix, kTls };

// A harness of transport_conformance.h.
template <typename Network, Over kOver>
class NetworkHarness {
 public:
  static constexpr size_t kMaxQueued = size_t{8} << 20;

  NetworkHarness() {
    if constexpr (kOver == Over::kTls) {
      transport_ =
          std::make_unique<ByRole>(Client(certificates_.Trainer("job")),
                                   Client(certificates_.Sampler("peer")));
    } else {
      transport_ = Client({});
    }
  }

  Transport* transport() { return transport_.get(); }
  Address Listen(StreamAcceptor* acceptor) {
    server_ = Serve(acceptor);
    return server_->address();
  }
  // A port or a path that was just given back.
  Address Nobody() { return Serve(nullptr)->address(); }
  bool RunUntil(Log& log, const std::function<bool()>& done) {
    return log.WaitUntil(done);
  }
  void KillServers() { server_->Shutdown(absl::ZeroDuration()); }
  size_t max_queued_bytes() { return kMaxQueued; }

 private:
  static std::unique_ptr<NetworkTransport> Client(TlsFiles files) {
    NetworkTransportOptions options;
    options.connection.max_queued_bytes = kMaxQueued;
    options.tls = std::move(files);
    return Network::MakeTransport(options);
  }
  std::unique_ptr<NetworkServer> Serve(StreamAcceptor* acceptor) {
    NetworkServerOptions options;
    if (kOver == Over::kUnix) {
      options.listen = {
          absl::StrCat("unix:", folder_.File(std::to_string(sockets_++))), 0};
    }
    if (kOver == Over::kTls) options.tls = certificates_.Sampler();
    auto server = Network::Serve(options, acceptor);
    EXPECT_TRUE(server.ok()) << server.status();
    return *std::move(server);
  }

  ShortFolder folder_;
  int sockets_ = 0;
  TestCertificates certificates_;
  std::unique_ptr<Transport> transport_;
  std::unique_ptr<NetworkServer> server_;
};

// A server with a recorder, and its clients.
template <typename Network>
class NetworkTest : public ::testing::Test {
 protected:
  void Serve(NetworkServerOptions options = {}) {
    auto server = Network::Serve(options, &acceptor_);
    ASSERT_TRUE(server.ok()) << server.status();
    server_ = *std::move(server);
    before_ = server_->refused_connections();
  }
  void Serve(TlsFiles files) {
    NetworkServerOptions options;
    options.tls = std::move(files);
    Serve(std::move(options));
  }
  NetworkTransport& MakeTransport(const NetworkTransportOptions& options) {
    transports_.push_back(Network::MakeTransport(options));
    return *transports_.back();
  }
  NetworkTransport& MakeTransport(TlsFiles files) {
    NetworkTransportOptions options;
    options.tls = std::move(files);
    return MakeTransport(options);
  }
  std::shared_ptr<Recorder> Open(NetworkTransport& transport,
                                 const Address& address,
                                 StreamMethod method = StreamMethod::kBatches) {
    auto client = std::make_shared<Recorder>(&log_);
    client->set_stream(transport.Connect(address, method, client));
    return client;
  }
  std::shared_ptr<Recorder> Open(NetworkTransport& transport,
                                 StreamMethod method = StreamMethod::kBatches) {
    return Open(transport, server_->address(), method);
  }
  std::shared_ptr<Recorder> Open(const TlsFiles& files,
                                 StreamMethod method = StreamMethod::kBatches) {
    return Open(MakeTransport(files), method);
  }
  std::shared_ptr<Recorder> Connect(
      const Address& address, const NetworkTransportOptions& options = {}) {
    return Open(MakeTransport(options), address);
  }
  std::shared_ptr<Recorder> Connect() { return Connect(server_->address()); }

  // Waits until the server has accepted `number` streams in all.
  bool Accepted(size_t number) {
    return log_.WaitUntil(
        [&] { return acceptor_.accepted().size() >= number; });
  }
  // Waits for the server's end of stream `i`.
  std::shared_ptr<Recorder> ServerEnd(size_t i = 0) {
    EXPECT_TRUE(Accepted(i + 1));
    return acceptor_.accepted().at(i);
  }
  bool Closed(Recorder& recorder) {
    return log_.WaitUntil([&] { return recorder.is_closed(); });
  }
  // Returns the status that the stream ends with.
  absl::Status EndOf(Recorder& client) {
    EXPECT_TRUE(Closed(client));
    return client.closed().value_or(absl::UnknownError("still open"));
  }
  // Waits for what no event tells.
  static bool Until(const std::function<bool()>& done) {
    const auto limit =
        std::chrono::steady_clock::now() + std::chrono::seconds(20);
    while (!done()) {
      if (std::chrono::steady_clock::now() > limit) return false;
      std::this_thread::yield();
    }
    return true;
  }
  // Returns how many were refused for `reason` since the server started, once
  // it is `expected` or some seconds have passed: gRPC's log comes late.
  uint64_t Refused(const std::string& reason, uint64_t expected = 1) {
    uint64_t refused = 0;
    (void)Until([&] {
      refused = server_->refused_connections()[reason] - before_[reason];
      return refused >= expected;
    });
    return refused;
  }

  TestCertificates certificates_;
  Log log_;
  RecordingAcceptor acceptor_{&log_};
  std::unique_ptr<NetworkServer> server_;
  std::map<std::string, uint64_t> before_;
  std::vector<std::unique_ptr<NetworkTransport>> transports_;
};

}  // namespace tributary::conformance

#endif  // TRIBUTARY_CHANNEL_TESTING_NETWORK_TEST_H_
