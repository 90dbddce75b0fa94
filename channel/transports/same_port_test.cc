// A server's one port for gRPC and for streams over TCP.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "channel/grpc/testing/grpc_network.h"
#include "channel/grpc/testing/raw_http2.h"
#include "channel/planned_end.h"
#include "channel/tcp/testing/tcp_network.h"
#include "channel/testing/network_test.h"
#include "channel/testing/recording_stream.h"
#include "channel/transports/network_choice.h"
#include "common/identity/testing/test_certificates.h"

namespace tributary {
namespace {

using conformance::Log;
using conformance::MakeMessage;
using conformance::Recorder;
using conformance::RecordingAcceptor;

// A server that takes both, and clients of either.
struct EitherNetwork {
  static absl::StatusOr<std::unique_ptr<NetworkServer>> Serve(
      NetworkServerOptions options, StreamAcceptor* acceptor) {
    options.takes_tcp = true;
    return StartNetworkServer(options, acceptor);
  }
  static std::unique_ptr<NetworkTransport> MakeTransport(
      const NetworkTransportOptions& options) {
    return GrpcNetwork::MakeTransport(options);
  }
};

class SamePortTest : public conformance::NetworkTest<EitherNetwork> {
 protected:
  // Opens a stream by gRPC or by TCP.
  std::shared_ptr<Recorder> OpenBy(bool tcp, TlsFiles files = {}) {
    if (!tcp) return Open(files);
    NetworkTransportOptions options;
    options.tls = std::move(files);
    transports_.push_back(TcpNetwork::MakeTransport(options));
    return Open(*transports_.back());
  }
};

TEST_F(SamePortTest, BothProtocolsReachTheAcceptor) {
  for (const bool tls : {false, true}) {
    NetworkServerOptions options;
    if (tls) options.tls = certificates_.Sampler();
    Serve(options);
    const TlsFiles files = tls ? certificates_.Trainer("cora") : TlsFiles();
    for (const bool tcp : {true, false, true, false}) {
      const size_t number = acceptor_.accepted().size();
      auto client = OpenBy(tcp, files);
      ASSERT_TRUE(client->stream()->Send(MakeMessage(1, "up", 100000)).ok());
      ASSERT_TRUE(Accepted(number + 1)) << tcp << tls;
      auto server = acceptor_.accepted()[number];
      ASSERT_TRUE(log_.WaitUntil([&] { return server->num_heard() == 1; }));
      EXPECT_EQ(acceptor_.callers()[number]->identity.role,
                tls ? Role::kTrainer : Role::kAnonymous);
    }
    EXPECT_EQ(server_->num_streams(), 4);
    server_->Shutdown(absl::ZeroDuration());
    EXPECT_EQ(server_->num_streams(), 0);
  }
}

TEST_F(SamePortTest, StreamsOfBothHaveOneLimit) {
  NetworkServerOptions options;
  options.max_streams = 4;  // a host alone has half of them
  Serve(options);
  auto first = OpenBy(/*tcp=*/true);
  ASSERT_TRUE(Accepted(1));
  auto second = OpenBy(/*tcp=*/false);
  ASSERT_TRUE(Accepted(2));
  for (const bool tcp : {true, false}) {
    auto refused = OpenBy(tcp);
    ASSERT_TRUE(Closed(*refused));
    EXPECT_EQ(refused->closed()->code(), absl::StatusCode::kResourceExhausted);
  }
  EXPECT_EQ(server_->refused_streams()["caller_share"], 2);
}

TEST_F(SamePortTest, WhatIsKnownLateIsKnownStill) {
  Serve();
  // Bytes one by one, of either protocol.
  raw_http2::Connection grpc(server_->address().port);
  for (const char byte : raw_http2::Preface()) {
    ASSERT_TRUE(grpc.Send(std::string(1, byte)));
  }
  EXPECT_TRUE(grpc.Receives(std::string("\x04\x00\x00\x00\x00\x00", 6)))
      << "frame of settings";
  raw_http2::Connection tcp(server_->address().port);
  for (const char byte : std::string("TRIBxxxxxxxxxxxxxxxxxxxxxxxxxxxxx")) {
    ASSERT_TRUE(tcp.Send(std::string(1, byte)));
  }
  EXPECT_TRUE(tcp.Receives("TRIB")) << "the close that says why";
}

TEST_F(SamePortTest, SilentConnectionsKeepNobodyOut) {
  NetworkServerOptions options;
  options.handshake_timeout = absl::Seconds(1);
  Serve(options);
  std::vector<std::unique_ptr<raw_http2::Connection>> silent;
  for (int i = 0; i < 32; ++i) {
    silent.push_back(
        std::make_unique<raw_http2::Connection>(server_->address().port));
    if (i % 2 == 0) {
      ASSERT_TRUE(silent.back()->Send("TRI"));
    }
  }
  auto tcp = OpenBy(/*tcp=*/true);
  ASSERT_TRUE(Accepted(1));
  auto grpc = OpenBy(/*tcp=*/false);
  ASSERT_TRUE(Accepted(2));
  for (const auto& connection : silent) EXPECT_TRUE(connection->Closed());
  EXPECT_TRUE(Until([&] { return server_->num_connections() == 2; }));
  EXPECT_FALSE(tcp->is_closed());
  EXPECT_FALSE(grpc->is_closed());
}

TEST_F(SamePortTest, AShutdownEndsBothAsPlanned) {
  Serve();
  auto tcp = OpenBy(/*tcp=*/true);
  auto grpc = OpenBy(/*tcp=*/false);
  ASSERT_TRUE(Accepted(2));
  server_->Shutdown(absl::Seconds(10));
  for (auto& client : {tcp, grpc}) {
    ASSERT_TRUE(Closed(*client));
    EXPECT_TRUE(IsPlannedEnd(*client->closed())) << *client->closed();
  }
}

TEST_F(SamePortTest, WithoutTheOptionItIsGrpcAlone) {
  auto server = StartNetworkServer({}, &acceptor_);
  ASSERT_TRUE(server.ok()) << server.status();
  server_ = *std::move(server);
  auto client = OpenBy(/*tcp=*/true);
  ASSERT_TRUE(Closed(*client));
  EXPECT_FALSE(client->closed()->ok());
  EXPECT_TRUE(acceptor_.accepted().empty());
}

}  // namespace
}  // namespace tributary
