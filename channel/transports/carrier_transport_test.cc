#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <utility>

#include "channel/testing/network_test.h"
#include "channel/testing/recording_stream.h"
#include "channel/testing/transport_conformance.h"
#include "channel/transports/network_choice.h"

namespace tributary {
namespace conformance {

// A server that takes both, and clients that prefer TCP.
struct CarrierNetwork {
  static absl::StatusOr<std::unique_ptr<NetworkServer>> Serve(
      NetworkServerOptions options, StreamAcceptor* acceptor) {
    options.takes_tcp = true;
    return StartNetworkServer(options, acceptor);
  }
  static std::unique_ptr<NetworkTransport> MakeTransport(
      NetworkTransportOptions options) {
    options.carrier = Carrier::kTcp;
    return MakeNetworkTransport(options);
  }
};

using ByCarrier = NetworkHarness<CarrierNetwork, Over::kTcp>;
using ByCarrierOnUnix = NetworkHarness<CarrierNetwork, Over::kUnix>;
using ByCarrierWithTls = NetworkHarness<CarrierNetwork, Over::kTls>;
INSTANTIATE_TYPED_TEST_SUITE_P(Tcp, TransportConformance, ByCarrier);
INSTANTIATE_TYPED_TEST_SUITE_P(Unix, TransportConformance, ByCarrierOnUnix);
INSTANTIATE_TYPED_TEST_SUITE_P(Tls, TransportConformance, ByCarrierWithTls);

}  // namespace conformance

namespace {

using conformance::MakeMessage;
using conformance::Recorder;
using ::testing::HasSubstr;

// The test chooses what servers take; clients choose by themselves.
struct AutoNetwork {
  static absl::StatusOr<std::unique_ptr<NetworkServer>> Serve(
      const NetworkServerOptions& options, StreamAcceptor* acceptor) {
    return StartNetworkServer(options, acceptor);
  }
  static std::unique_ptr<NetworkTransport> MakeTransport(
      const NetworkTransportOptions& options) {
    return MakeNetworkTransport(options);
  }
};

class CarrierTransportTest : public conformance::NetworkTest<AutoNetwork> {
 protected:
  void ServeBoth(bool takes_tcp = true) {
    NetworkServerOptions options;
    options.takes_tcp = takes_tcp;
    Serve(options);
  }
  // Opens a stream that the server answers on, and returns how many of the
  // server's streams are over TCP then.
  size_t TcpStreamsWith(NetworkTransport& transport, size_t number,
                        StreamMethod method = StreamMethod::kBatches) {
    clients_.push_back(Open(transport, method));
    auto server = ServerEnd(number);
    EXPECT_TRUE(server->stream()->Send(MakeMessage(1, "down", 1000)).ok());
    EXPECT_TRUE(
        log_.WaitUntil([&] { return clients_.back()->num_heard() == 1; }));
    return server_->num_tcp_streams();
  }

  std::vector<std::shared_ptr<Recorder>> clients_;
};

TEST_F(CarrierTransportTest, AutoTakesTcpOnceTheServerOffersIt) {
  ServeBoth();
  NetworkTransport& transport = MakeTransport(NetworkTransportOptions{});
  EXPECT_EQ(TcpStreamsWith(transport, 0), 0) << "nothing is known";
  transport.NoteTakesTcp(server_->address(), 1, true);
  EXPECT_EQ(TcpStreamsWith(transport, 1), 1);
  EXPECT_EQ(TcpStreamsWith(transport, 2, StreamMethod::kControl), 1);
  EXPECT_EQ(TcpStreamsWith(transport, 3, StreamMethod::kData), 2);
  EXPECT_EQ(server_->num_streams(), 4);
  transport.Shutdown();
  for (const auto& client : clients_) EXPECT_TRUE(client->is_closed());
}

// As behind a proxy that passes HTTP/2 alone.
TEST_F(CarrierTransportTest, AutoGoesBackToGrpc) {
  ServeBoth(/*takes_tcp=*/false);
  NetworkTransport& transport = MakeTransport(NetworkTransportOptions{});
  transport.NoteTakesTcp(server_->address(), 1, true);
  auto client = Open(transport);
  EXPECT_FALSE(EndOf(*client).ok());
  EXPECT_EQ(TcpStreamsWith(transport, 0), 0);
  EXPECT_EQ(TcpStreamsWith(transport, 1, StreamMethod::kData), 0);
}

TEST_F(CarrierTransportTest, TcpAloneSaysWhatTheServerDoesNotTake) {
  ServeBoth(/*takes_tcp=*/false);
  NetworkTransportOptions options;
  options.carrier = Carrier::kTcp;
  NetworkTransport& transport = MakeTransport(options);
  transport.NoteTakesTcp(server_->address(), 1, false);
  auto client = Open(transport);
  EXPECT_THAT(std::string(EndOf(*client).message()),
              HasSubstr("takes no streams over TCP"));
}

TEST_F(CarrierTransportTest, GrpcAloneTakesNoOffer) {
  ServeBoth();
  NetworkTransportOptions options;
  options.carrier = Carrier::kGrpc;
  NetworkTransport& transport = MakeTransport(options);
  transport.NoteTakesTcp(server_->address(), 1, true);
  EXPECT_EQ(TcpStreamsWith(transport, 0), 0);
}

TEST_F(CarrierTransportTest, WithoutUsableCertificatesTheStreamSaysSo) {
  ServeBoth();
  NetworkTransportOptions options;
  options.carrier = Carrier::kTcp;
  options.tls = {"missing/ca.pem", "missing/cert.pem", "missing/key.pem"};
  NetworkTransport& transport = MakeTransport(options);
  auto client = Open(transport);
  EXPECT_THAT(std::string(EndOf(*client).message()), HasSubstr("missing/"));
}

TEST(ParseCarrierTest, NamesThree) {
  EXPECT_EQ(ParseCarrier("auto").value(), Carrier::kAuto);
  EXPECT_EQ(ParseCarrier("grpc").value(), Carrier::kGrpc);
  EXPECT_EQ(ParseCarrier("tcp").value(), Carrier::kTcp);
  EXPECT_EQ(ParseCarrier("TCP").status(),
            absl::InvalidArgumentError(
                "'TCP' carries no streams; allowed: auto, grpc, tcp"));
}

}  // namespace
}  // namespace tributary
