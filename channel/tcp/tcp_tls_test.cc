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
#include "channel/tcp/tcp_server.h"
#include "channel/tcp/tcp_transport.h"
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

std::unique_ptr<TcpTransport> TransportOf(
    TlsFiles files, NetworkTransportOptions options = {}) {
  options.tls = std::move(files);
  auto transport = TcpTransport::Start(options);
  EXPECT_TRUE(transport.ok()) << transport.status();
  return *std::move(transport);
}

// Opens each stream as a role that may: leaf streams as a sampler, all others
// as a trainer.
class TcpByRole final : public Transport {
 public:
  TcpByRole(const NetworkTransportOptions& options,
            TestCertificates& certificates)
      : trainer_(TransportOf(certificates.Trainer("job"), options)),
        sampler_(TransportOf(certificates.Sampler("peer"), options)) {}

  std::shared_ptr<Stream> Connect(
      const Address& address, StreamMethod method,
      std::shared_ptr<StreamHandler> handler) override {
    TcpTransport& as = method == StreamMethod::kLeaf ? *sampler_ : *trainer_;
    return as.Connect(address, method, std::move(handler));
  }

 private:
  const std::unique_ptr<TcpTransport> trainer_;
  const std::unique_ptr<TcpTransport> sampler_;
};

class TcpTlsHarness {
 public:
  static constexpr size_t kMaxQueued = size_t{8} << 20;

  TcpTlsHarness() {
    NetworkTransportOptions options;
    options.connection.max_queued_bytes = kMaxQueued;
    transport_ = std::make_unique<TcpByRole>(options, certificates_);
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
  std::unique_ptr<TcpServer> Start(StreamAcceptor* acceptor) {
    NetworkServerOptions options;
    options.tls = certificates_.Sampler();
    auto server = TcpServer::Start(options, acceptor);
    EXPECT_TRUE(server.ok()) << server.status();
    return *std::move(server);
  }

  TestCertificates certificates_;
  std::unique_ptr<TcpByRole> transport_;
  std::unique_ptr<TcpServer> server_;
};

class TcpTlsTest : public ::testing::Test {
 protected:
  void Serve(TlsFiles files, NetworkServerOptions options = {}) {
    options.tls = std::move(files);
    auto server = TcpServer::Start(options, &acceptor_);
    ASSERT_TRUE(server.ok()) << server.status();
    server_ = *std::move(server);
    before_ = server_->refused_connections();
  }
  std::shared_ptr<Recorder> Open(TlsFiles files,
                                 StreamMethod method = StreamMethod::kBatches) {
    transports_.push_back(TransportOf(std::move(files)));
    auto client = std::make_shared<Recorder>(&log_);
    client->set_stream(
        transports_.back()->Connect(server_->address(), method, client));
    return client;
  }
  // Returns the status that the stream ends with.
  absl::Status EndOf(Recorder& client) {
    EXPECT_TRUE(log_.WaitUntil([&] { return client.is_closed(); }));
    return client.closed().value_or(absl::UnknownError("still open"));
  }
  bool Accepted(size_t number) {
    return log_.WaitUntil(
        [&] { return acceptor_.accepted().size() >= number; });
  }
  // Returns whether so many were refused for `reason` since the server started.
  bool Refused(const std::string& reason, uint64_t expected) {
    const auto limit =
        std::chrono::steady_clock::now() + std::chrono::seconds(20);
    while (server_->refused_connections()[reason] - before_[reason] !=
           expected) {
      if (std::chrono::steady_clock::now() > limit) return false;
      std::this_thread::yield();
    }
    return true;
  }

  TestCertificates certificates_;
  Log log_;
  RecordingAcceptor acceptor_{&log_};
  std::unique_ptr<TcpServer> server_;
  std::map<std::string, uint64_t> before_;
  std::vector<std::unique_ptr<TcpTransport>> transports_;
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
  EXPECT_TRUE(Refused("wrong_role", 3));
  EXPECT_TRUE(acceptor_.accepted().empty());
}

TEST_F(TcpTlsTest, StrangersAreRefusedToldAndCountedByReason) {
  Serve(certificates_.Sampler());
  const absl::Status why = EndOf(*Open(certificates_.Foreign()));
  EXPECT_EQ(why.code(), absl::StatusCode::kUnauthenticated) << why;
  EXPECT_THAT(std::string(why.message()),
              HasSubstr(server_->address().ToString()));
  EXPECT_TRUE(Refused("untrusted", 1));
  // Our own end does not start with these.
  const uint16_t port = server_->address().port;
  (void)ConnectByTls(port, {certificates_.WithoutUri()});
  EXPECT_TRUE(Refused("wrong_name", 1));
  (void)ConnectByTls(port, {certificates_.TwoUris()});
  EXPECT_TRUE(Refused("wrong_name", 2));
  EXPECT_FALSE(ConnectByTls(port, {certificates_.Expired()}).answered);
  EXPECT_TRUE(Refused("expired", 1));
  EXPECT_FALSE(ConnectByTls(port, {TlsFiles{}}).answered);
  EXPECT_TRUE(Refused("no_certificate", 1));
  EXPECT_FALSE(ConnectByTls(port, {certificates_.Trainer("a"), true}).answered)
      << "TLS 1.2";
  EXPECT_TRUE(Refused("other", 1));
  EXPECT_TRUE(acceptor_.accepted().empty());
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
  const absl::Status plain = EndOf(*Open({}));
  EXPECT_EQ(plain.code(), absl::StatusCode::kUnavailable) << plain;
  EXPECT_TRUE(Refused("not_tls", 1));
  Serve({});
  const absl::Status tls = EndOf(*Open(certificates_.Trainer("cora")));
  EXPECT_EQ(tls.code(), absl::StatusCode::kUnauthenticated) << tls;
  EXPECT_THAT(std::string(tls.message()), HasSubstr("wrong version"));
  EXPECT_TRUE(Refused("tls", 1));
}

TEST_F(TcpTlsTest, ASilentHandshakeIsCut) {
  NetworkServerOptions options;
  options.handshake_timeout = absl::Milliseconds(100);
  Serve(certificates_.Sampler(), options);
  raw_http2::Connection silent(server_->address().port);
  EXPECT_TRUE(silent.Closed());
  EXPECT_TRUE(Refused("slow", 1));
}

TEST_F(TcpTlsTest, OldConnectionsEndAsPlanned) {
  NetworkServerOptions options;
  options.age.age = absl::Milliseconds(200);
  options.age.grace = absl::Milliseconds(100);
  options.handshake_timeout = absl::Seconds(10);
  options.connection.keepalive_time = absl::Milliseconds(100);  // and ticks
  Serve(certificates_.Sampler(), options);
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

INSTANTIATE_TYPED_TEST_SUITE_P(TcpTls, TransportConformance, TcpTlsHarness);

}  // namespace conformance
}  // namespace tributary
