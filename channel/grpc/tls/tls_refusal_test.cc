// Who gets through TLS, who does not, and what each end says about it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include <atomic>
#include <string>
#include <thread>

#include "absl/strings/str_cat.h"
#include "channel/grpc/tls/testing/tls_fixture.h"
#include "channel/testing/short_folder.h"
#include "channel/testing/tls_client.h"
#include "channel/tls/refused_connections.h"
#include "common/io/unique_fd.h"

namespace tributary {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

std::string Text(const absl::Status& status) {
  return std::string(status.message());
}

// First: a reason is logged once in 10 s.
TEST(RefusedConnections, AreLoggedOnceForEachReason) {
  auto& refused = RefusedConnections::OfProcess();
  const uint64_t before = refused.counts()["tls"];
  testing::internal::CaptureStderr();
  refused.Add(RefusalReason::kTls, "first");
  refused.Add(RefusalReason::kTls, "second");
  refused.Add(RefusalReason::kGivenUp, "never");
  const std::string log = testing::internal::GetCapturedStderr();
  EXPECT_EQ(refused.counts()["tls"], before + 2);
  EXPECT_THAT(log, HasSubstr("refused connection (tls): first"));
  EXPECT_THAT(log, Not(HasSubstr("second")));
  EXPECT_THAT(log, Not(HasSubstr("never")));
}

TEST_F(TlsTest, TheCertificateSaysWhoCalls) {
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

TEST_F(TlsTest, ARoleOpensItsOwnStreamsOnly) {
  Serve(certificates_.Sampler());
  auto leaf = Open(certificates_.Trainer("cora"), StreamMethod::kLeaf);
  const absl::Status why = EndOf(*leaf);
  EXPECT_EQ(why.code(), absl::StatusCode::kPermissionDenied) << why;
  EXPECT_THAT(Text(why), HasSubstr("trainer/cora"));
  EXPECT_THAT(Text(why), HasSubstr("Leaf; allowed: samplers"));
  for (const auto& [files, method] :
       {std::pair{certificates_.Operator(), StreamMethod::kLeaf},
        std::pair{certificates_.Sampler(), StreamMethod::kBatches},
        std::pair{certificates_.Sampler(), StreamMethod::kData}}) {
    auto client = Open(files, method);
    EXPECT_EQ(EndOf(*client).code(), absl::StatusCode::kPermissionDenied);
  }
  EXPECT_TRUE(acceptor_.accepted().empty());
  EXPECT_EQ(Refused("wrong_role", 4), 4);
}

TEST_F(TlsTest, StrangersAreRefusedAndCountedByReason) {
  Serve(certificates_.Sampler());
  const uint16_t port = server_->address().port;
  for (const auto& [files, reason] :
       {std::pair{TlsFiles{}, "no_certificate"},
        std::pair{certificates_.Foreign(), "untrusted"},
        std::pair{certificates_.Expired(), "expired"},
        std::pair{certificates_.WithoutUri(), "wrong_name"}}) {
    EXPECT_FALSE(ConnectByTls(port, {files}).answered) << reason;
    EXPECT_EQ(Refused(reason), 1) << reason;
  }
  EXPECT_FALSE(ConnectByTls(port, {certificates_.TwoUris()}).answered);
  EXPECT_FALSE(
      ConnectByTls(port, {certificates_.WithUris({"spiffe://x/y"})}).answered);
  EXPECT_EQ(Refused("wrong_name", 3), 3);
  EXPECT_EQ(SendPlainText(port, "GET /metrics HTTP/1.0\r\n\r\n"), "");
  EXPECT_EQ(SendPlainText(port, "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"), "");
  EXPECT_EQ(Refused("not_tls", 2), 2);
  EXPECT_TRUE(acceptor_.accepted().empty());
  EXPECT_TRUE(ConnectByTls(port, {certificates_.Trainer("a")}).answered);
}

TEST_F(TlsTest, BetweenOurEndsItIsTls13AndServersRefuseTls12) {
  Serve(certificates_.Sampler());
  const uint16_t port = server_->address().port;
  const TlsFiles trainer = certificates_.Trainer("a");
  const TlsClientResult modern = ConnectByTls(port, {trainer});
  EXPECT_TRUE(modern.answered) << modern.error;
  EXPECT_EQ(modern.version, "TLSv1.3");
  const TlsClientResult old = ConnectByTls(port, {trainer, true});
  EXPECT_FALSE(old.answered) << old.version;
  EXPECT_EQ(Refused("other"), 1);
}

TEST_F(TlsTest, AClientTakesSamplersOnly) {
  for (const auto& [liar, name] :
       {std::pair{certificates_.Trainer("liar"), "trainer/liar"},
        std::pair{certificates_.Operator("liar"), "operator/liar"}}) {
    Serve(liar);
    auto client = Open(certificates_.Trainer("cora"));
    const absl::Status why = EndOf(*client);
    EXPECT_EQ(why.code(), absl::StatusCode::kPermissionDenied) << why;
    EXPECT_THAT(Text(why), HasSubstr(server_->address().ToString()));
    EXPECT_THAT(Text(why), HasSubstr(name));
    EXPECT_THAT(Text(why), HasSubstr("this process is trainer/cora"));
  }
  EXPECT_TRUE(acceptor_.accepted().empty());
}

TEST_F(TlsTest, AClientTakesServersOfItsAuthoritiesOnly) {
  Serve(certificates_.Foreign("tributary://sampler/foreign"));
  const TlsFiles files = certificates_.Trainer("cora");
  auto client = Open(files);
  const absl::Status why = EndOf(*client);
  EXPECT_EQ(why.code(), absl::StatusCode::kUnauthenticated) << why;
  EXPECT_THAT(Text(why), HasSubstr(files.ca));
}

// The server says nothing to a certificate that it does not trust, so one close
// is no proof; several are.
TEST_F(TlsTest, AForeignClientLearnsItInTheEnd) {
  Serve(certificates_.Sampler());
  auto& transport = MakeTransport(certificates_.Foreign());
  absl::Status why = EndOf(*Open(transport));
  EXPECT_EQ(why.code(), absl::StatusCode::kUnavailable) << why;
  EXPECT_THAT(Text(why), HasSubstr("right after the TLS handshake"));
  const auto limit =
      std::chrono::steady_clock::now() + std::chrono::seconds(15);
  while (absl::IsUnavailable(why) && std::chrono::steady_clock::now() < limit) {
    why = EndOf(*Open(transport));
  }
  EXPECT_EQ(why.code(), absl::StatusCode::kUnauthenticated) << why;
  EXPECT_THAT(Text(why), HasSubstr("trainer/foreign"));
  EXPECT_GE(Refused("untrusted", 3), 3);
}

// Closes each connection before any handshake, as a server that is full does,
// or a proxy before a dead one; after the first bytes, so that the client sees
// an orderly close.
class ClosingListener {
 public:
  ClosingListener() : fd_(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    sockaddr_in name{};
    name.sin_family = AF_INET;
    name.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t bytes = sizeof(name);
    EXPECT_EQ(bind(fd_.get(), reinterpret_cast<sockaddr*>(&name), bytes), 0);
    EXPECT_EQ(listen(fd_.get(), 64), 0);
    getsockname(fd_.get(), reinterpret_cast<sockaddr*>(&name), &bytes);
    address_ = {"127.0.0.1", ntohs(name.sin_port)};
    thread_ = std::thread([this] { Run(); });
  }
  ~ClosingListener() {
    shutdown(fd_.get(), SHUT_RDWR);
    thread_.join();
  }
  const Address& address() const { return address_; }
  int closed() const { return closed_; }

 private:
  void Run() {
    for (;;) {
      const UniqueFd fd(accept4(fd_.get(), nullptr, nullptr, SOCK_CLOEXEC));
      if (!fd.valid()) return;
      char bytes[16 << 10];
      const timeval most{5, 0};
      setsockopt(fd.get(), SOL_SOCKET, SO_RCVTIMEO, &most, sizeof(most));
      if (recv(fd.get(), bytes, sizeof(bytes), 0) > 0) ++closed_;
    }
  }
  const UniqueFd fd_;
  Address address_;
  std::atomic<int> closed_ = 0;
  std::thread thread_;
};

TEST_F(TlsTest, AServerThatClosesBeforeTheHandshakeIsTriedAgainHoweverOften) {
  ClosingListener listener;
  auto& transport = MakeTransport(certificates_.Trainer("cora"));
  int orderly = 0;
  const auto begin = std::chrono::steady_clock::now();
  // Over more than ConnectFailures::kClosesSpan, at least its kCloses.
  while (std::chrono::steady_clock::now() - begin < std::chrono::seconds(3) ||
         listener.closed() < 5) {
    ASSERT_LT(std::chrono::steady_clock::now() - begin,
              std::chrono::seconds(20));
    auto client = std::make_shared<conformance::Recorder>(&log_);
    client->set_stream(
        transport.Connect(listener.address(), StreamMethod::kBatches, client));
    const absl::Status why = EndOf(*client);
    ASSERT_EQ(why.code(), absl::StatusCode::kUnavailable) << why;
    ASSERT_THAT(Text(why), Not(HasSubstr("handshake")));
    if (Text(why).find("has no room") != std::string::npos) ++orderly;
  }
  EXPECT_GE(orderly, 3);
}

TEST_F(TlsTest, PlainTextToATlsPortIsSaidOnBothSides) {
  Serve(certificates_.Sampler());
  const absl::Status why = EndOf(*Open(TlsFiles{}));
  EXPECT_EQ(why.code(), absl::StatusCode::kUnavailable) << why;
  EXPECT_THAT(Text(why), HasSubstr("--tls-ca"));
  EXPECT_GE(Refused("not_tls"), 1);
}

TEST_F(TlsTest, TlsToAPlainTextPortIsSaidOnBothSides) {
  Serve(TlsFiles{});
  const absl::Status why = EndOf(*Open(certificates_.Trainer("cora")));
  EXPECT_EQ(why.code(), absl::StatusCode::kUnauthenticated) << why;
  EXPECT_THAT(Text(why), HasSubstr("speaks plain text"));
  EXPECT_THAT(Text(why), HasSubstr(server_->address().ToString()));
  EXPECT_GE(Refused("tls"), 1);
  EXPECT_TRUE(acceptor_.accepted().empty());
}

TEST_F(TlsTest, FilesAreCheckedAtTheStart) {
  const TlsFiles expired = certificates_.Expired();
  NetworkServerOptions options;
  options.tls = expired;
  const absl::Status start = GrpcServer::Start(options, &acceptor_).status();
  EXPECT_EQ(start.code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_THAT(Text(start), HasSubstr(expired.cert));
  options.tls.key.clear();
  EXPECT_EQ(GrpcServer::Start(options, &acceptor_).status().code(),
            absl::StatusCode::kInvalidArgument);
  Serve(certificates_.Sampler());
  const absl::Status why = EndOf(*Open(expired));
  EXPECT_EQ(why.code(), absl::StatusCode::kFailedPrecondition) << why;
  EXPECT_THAT(Text(why), HasSubstr(expired.cert));
}

TEST_F(TlsTest, UnixSocketsStayPlainText) {
  const ShortFolder folder;
  NetworkServerOptions options;
  options.listen = {absl::StrCat("unix:", folder.File("s")), 0};
  options.tls = certificates_.Sampler();
  Serve(options);
  auto client = Open(certificates_.Trainer("cora"), StreamMethod::kLeaf);
  ASSERT_TRUE(Accepted(1));
  EXPECT_TRUE(acceptor_.callers()[0]->identity.anonymous());
}

}  // namespace
}  // namespace tributary
