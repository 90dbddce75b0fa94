// The suite that every transport must pass, over TLS, and who gets through it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "channel/grpc/testing/raw_http2.h"
#include "channel/planned_end.h"
#include "channel/tcp/testing/tcp_network.h"
#include "channel/testing/network_test.h"
#include "channel/testing/recording_stream.h"
#include "channel/testing/tls_client.h"
#include "channel/testing/transport_conformance.h"
#include "common/identity/testing/test_certificates.h"

namespace tributary {
namespace {

using conformance::Log;
using conformance::MakeMessage;
using conformance::Recorder;
using conformance::RecordingAcceptor;
using ::testing::HasSubstr;

class TcpTlsTest : public conformance::NetworkTest<TcpNetwork> {
 protected:
  static NetworkServerOptions OptionsOf(TlsFiles files) {
    NetworkServerOptions options;
    options.tls = std::move(files);
    return options;
  }
};

TEST_F(TcpTlsTest, TheCertificateSaysWhoCalls) {
  Serve(certificates_.Sampler("fleet"));
  auto trainer = Open(certificates_.Trainer("cora"));
  ASSERT_TRUE(Accepted(1));
  auto peer = Open(certificates_.Sampler("other"), StreamMethod::kLeaf);
  ASSERT_TRUE(Accepted(2));
  auto person = Open(certificates_.Operator("ann"), StreamMethod::kControl);
  ASSERT_TRUE(Accepted(3));
  const auto callers = acceptor_.callers();
  EXPECT_EQ(callers[0]->identity, (Identity{Role::kTrainer, "cora"}));
  EXPECT_EQ(callers[1]->identity, (Identity{Role::kSampler, "other"}));
  EXPECT_EQ(callers[2]->identity, (Identity{Role::kOperator, "ann"}));
  EXPECT_THAT(callers[0]->address, HasSubstr("127.0.0.1:"));
}

TEST_F(TcpTlsTest, ARoleOpensItsOwnStreamsOnly) {
  Serve(certificates_.Sampler());
  const absl::Status why =
      EndOf(*Open(certificates_.Trainer("cora"), StreamMethod::kLeaf));
  EXPECT_EQ(why.code(), absl::StatusCode::kPermissionDenied) << why;
  EXPECT_THAT(std::string(why.message()), HasSubstr("trainer/cora"));
  EXPECT_THAT(std::string(why.message()), HasSubstr("Leaf; allowed: samplers"));
  for (const auto method : {StreamMethod::kBatches, StreamMethod::kData}) {
    EXPECT_EQ(EndOf(*Open(certificates_.Sampler(), method)).code(),
              absl::StatusCode::kPermissionDenied);
  }
  EXPECT_EQ(Refused("wrong_role", 3), 3);
  EXPECT_TRUE(acceptor_.accepted().empty());
}

TEST_F(TcpTlsTest, StrangersAreRefusedToldAndCountedByReason) {
  Serve(certificates_.Sampler());
  const absl::Status why = EndOf(*Open(certificates_.Foreign()));
  EXPECT_EQ(why.code(), absl::StatusCode::kUnauthenticated) << why;
  EXPECT_THAT(std::string(why.message()),
              HasSubstr(server_->address().ToString()));
  EXPECT_EQ(Refused("untrusted", 1), 1);
  // Our own end does not start with these.
  const uint16_t port = server_->address().port;
  (void)ConnectByTls(port, {certificates_.WithoutUri()});
  EXPECT_EQ(Refused("wrong_name", 1), 1);
  (void)ConnectByTls(port, {certificates_.TwoUris()});
  EXPECT_EQ(Refused("wrong_name", 2), 2);
  EXPECT_FALSE(ConnectByTls(port, {certificates_.Expired()}).answered);
  EXPECT_EQ(Refused("expired", 1), 1);
  EXPECT_FALSE(ConnectByTls(port, {TlsFiles{}}).answered);
  EXPECT_EQ(Refused("no_certificate", 1), 1);
  EXPECT_FALSE(ConnectByTls(port, {certificates_.Trainer("a"), true}).answered)
      << "TLS 1.2";
  EXPECT_EQ(Refused("other", 1), 1);
  EXPECT_TRUE(acceptor_.accepted().empty());
}

TEST_F(TcpTlsTest, AClientTakesSamplersOnly) {
  for (const auto& [liar, name] :
       {std::pair{certificates_.Trainer("liar"), "trainer/liar"},
        std::pair{certificates_.Operator("liar"), "operator/liar"}}) {
    Serve(liar);
    const absl::Status why = EndOf(*Open(certificates_.Trainer("cora")));
    EXPECT_EQ(why.code(), absl::StatusCode::kPermissionDenied) << why;
    EXPECT_THAT(std::string(why.message()),
                HasSubstr(server_->address().ToString()));
    EXPECT_THAT(std::string(why.message()), HasSubstr(name));
    EXPECT_TRUE(acceptor_.accepted().empty());
  }
  Serve(certificates_.Foreign("tributary://sampler/fake"));
  const absl::Status why = EndOf(*Open(certificates_.Trainer("cora")));
  EXPECT_EQ(why.code(), absl::StatusCode::kUnauthenticated) << why;
  EXPECT_THAT(std::string(why.message()), HasSubstr("certificate verify"));
}

TEST_F(TcpTlsTest, PlainTextAndTlsDoNotMix) {
  Serve(certificates_.Sampler());
  const absl::Status plain = EndOf(*Open(TlsFiles{}));
  EXPECT_EQ(plain.code(), absl::StatusCode::kUnavailable) << plain;
  EXPECT_EQ(Refused("not_tls", 1), 1);
  Serve(TlsFiles{});
  const absl::Status tls = EndOf(*Open(certificates_.Trainer("cora")));
  EXPECT_EQ(tls.code(), absl::StatusCode::kUnauthenticated) << tls;
  EXPECT_THAT(std::string(tls.message()), HasSubstr("wrong version"));
  EXPECT_EQ(Refused("tls", 1), 1);
}

TEST_F(TcpTlsTest, ASilentHandshakeIsCut) {
  NetworkServerOptions options = OptionsOf(certificates_.Sampler());
  options.handshake_timeout = absl::Milliseconds(100);
  Serve(options);
  raw_http2::Connection silent(server_->address().port);
  EXPECT_TRUE(silent.Closed());
  EXPECT_EQ(Refused("slow", 1), 1);
}

TEST_F(TcpTlsTest, OldConnectionsEndAsPlanned) {
  NetworkServerOptions options = OptionsOf(certificates_.Sampler());
  options.age.age = absl::Milliseconds(200);
  options.age.grace = absl::Milliseconds(100);
  options.handshake_timeout = absl::Seconds(10);
  options.connection.keepalive_time = absl::Milliseconds(100);  // and ticks
  Serve(options);
  auto client = Open(certificates_.Trainer("cora"));
  ASSERT_TRUE(Accepted(1));
  const absl::Status why = EndOf(*client);
  EXPECT_TRUE(IsPlannedEnd(why)) << why;
  EXPECT_THAT(std::string(why.message()), HasSubstr("longest age"));
}

TEST_F(TcpTlsTest, NewFilesAreUsedWithoutARestart) {
  const TlsFiles files = certificates_.Sampler("before");
  Serve(files);
  auto client = Open(certificates_.Trainer("cora"));
  ASSERT_TRUE(Accepted(1));
  // From now on the server trusts another authority.
  TestCertificates::Replace(files.ca, certificates_.foreign_authority().pem());
  const auto limit =
      std::chrono::steady_clock::now() + std::chrono::seconds(20);
  absl::Status why;
  while (!absl::IsUnauthenticated(why)) {
    ASSERT_LT(std::chrono::steady_clock::now(), limit);
    auto next = Open(certificates_.Trainer("cora"));
    if (const auto stream = next->stream()) {
      (void)stream->Send(MakeMessage(1, "", 1));
    }
    ASSERT_TRUE(log_.WaitUntil([&] {
      return next->is_closed() || acceptor_.accepted().back()->num_heard() > 0;
    }));
    why = next->closed().value_or(absl::OkStatus());
    if (const auto stream = next->stream()) stream->Close(absl::OkStatus());
  }
  EXPECT_FALSE(client->is_closed()) << "who is connected stays";
}

}  // namespace

namespace conformance {

using OverTcpTls = NetworkHarness<TcpNetwork, Over::kTls>;
INSTANTIATE_TYPED_TEST_SUITE_P(TcpTls, TransportConformance, OverTcpTls);

}  // namespace conformance
}  // namespace tributary
