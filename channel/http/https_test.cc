// /metrics over TLS, read by a client of OpenSSL's.
#include <arpa/inet.h>
#include <openssl/err.h>
#include <openssl/ssl.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "channel/http/metrics_server.h"
#include "channel/tls/refused_connections.h"
#include "common/fleet/testing/ipv6_network.h"
#include "common/identity/testing/test_certificates.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace tributary {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

// A connection from 127.x.y.z to the loopback port, whose reads and writes end
// in time.
int ConnectTo(uint16_t port, uint32_t from = INADDR_LOOPBACK) {
  const int fd = socket(AF_INET, SOCK_STREAM, 0);
  const timeval limit{.tv_sec = 20};
  setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof(limit));
  setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &limit, sizeof(limit));
  sockaddr_in own{};
  own.sin_family = AF_INET;
  own.sin_addr.s_addr = htonl(from);
  EXPECT_EQ(bind(fd, reinterpret_cast<sockaddr*>(&own), sizeof(own)), 0);
  sockaddr_in to{};
  to.sin_family = AF_INET;
  to.sin_port = htons(port);
  to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  EXPECT_EQ(connect(fd, reinterpret_cast<sockaddr*>(&to), sizeof(to)), 0);
  return fd;
}

std::string ReadAll(SSL* ssl) {
  std::string reply;
  char buffer[4096];
  int n = 0;
  while ((n = SSL_read(ssl, buffer, sizeof(buffer))) > 0) {
    reply.append(buffer, static_cast<size_t>(n));
  }
  return reply;
}

// Returns the answer; empty when the server refuses the connection.
std::string Get(uint16_t port, const TlsFiles& files, const std::string& path,
                std::optional<int> most_version = std::nullopt) {
  const std::unique_ptr<SSL_CTX, decltype(&SSL_CTX_free)> context(
      SSL_CTX_new(TLS_client_method()), SSL_CTX_free);
  if (most_version) {
    SSL_CTX_set_max_proto_version(context.get(), *most_version);
  }
  SSL_CTX_load_verify_file(context.get(), files.ca.c_str());
  SSL_CTX_set_verify(context.get(), SSL_VERIFY_PEER, nullptr);
  if (!files.cert.empty()) {
    SSL_CTX_use_certificate_chain_file(context.get(), files.cert.c_str());
    SSL_CTX_use_PrivateKey_file(context.get(), files.key.c_str(),
                                SSL_FILETYPE_PEM);
  }
  const std::unique_ptr<SSL, decltype(&SSL_free)> ssl(SSL_new(context.get()),
                                                      SSL_free);
  const int fd = ConnectTo(port);
  SSL_set_fd(ssl.get(), fd);
  std::string reply;
  if (SSL_connect(ssl.get()) == 1) {
    const std::string request = "GET " + path + " HTTP/1.1\r\nHost: x\r\n\r\n";
    SSL_write(ssl.get(), request.data(), static_cast<int>(request.size()));
    reply = ReadAll(ssl.get());
  }
  ERR_clear_error();
  close(fd);
  return reply;
}

class HttpsTest : public testing::Test {
 protected:
  void SetUp() override {
    std::signal(SIGPIPE, SIG_IGN);  // OpenSSL writes to connections that ended
    options_.listen = {"127.0.0.1", 0};
    options_.tls = certificates_.Sampler();
    options_.metrics = [] { return "answer 42\n"; };
    options_.health = [] { return absl::OkStatus(); };
    options_.page = [](const Identity& client) {
      return HttpReply{
          200, "text/html", absl::StrCat("page of ", client.ToString()), {}};
    };
    server_ = MetricsServer::Start(options_).value();
  }
  void TearDown() override {
    for (const int fd : silent_) close(fd);
  }
  uint16_t port() const { return server_->address().port; }

  // Opens connections that say nothing, each from the next address or all from
  // the same.
  void OpenSilent(int count, uint32_t from, uint32_t step) {
    for (int i = 0; i < count; ++i) {
      silent_.push_back(ConnectTo(port(), from + step * i));
    }
  }

  // Asks as an operator, from 127.0.0.1, and returns how long that took.
  absl::Duration TimeOfGet() {
    const TlsFiles files = certificates_.Operator();
    const absl::Time begin = absl::Now();
    EXPECT_THAT(Get(port(), files, "/healthz"), StartsWith("HTTP/1.1 200"));
    return absl::Now() - begin;
  }

  // Returns whether so many were refused since the test began; waits for it.
  bool Refused(const std::string& reason, uint64_t count) {
    const absl::Time deadline = absl::Now() + absl::Seconds(20);
    while (absl::Now() < deadline) {
      const auto now = RefusedConnections::OfProcess().counts();
      if (now.at(reason) - before_.at(reason) >= count) return true;
      std::this_thread::yield();
    }
    return false;
  }

  TestCertificates certificates_;
  MetricsServerOptions options_;
  std::unique_ptr<MetricsServer> server_;
  std::vector<int> silent_;
  const std::map<std::string, uint64_t> before_ =
      RefusedConnections::OfProcess().counts();
};

TEST_F(HttpsTest, OperatorsAndSamplersRead) {
  for (const TlsFiles& files :
       {certificates_.Operator(), certificates_.Sampler()}) {
    EXPECT_THAT(Get(port(), files, "/metrics"), StartsWith("HTTP/1.1 200"));
    EXPECT_THAT(Get(port(), files, "/metrics"), HasSubstr("answer 42\n"));
    EXPECT_THAT(Get(port(), files, "/healthz"), HasSubstr("\r\n\r\nok\n"));
    EXPECT_THAT(Get(port(), files, "/x"), StartsWith("HTTP/1.1 404"));
  }
}

TEST_F(HttpsTest, TrainersAreForbidden) {
  const std::string reply =
      Get(port(), certificates_.Trainer("cora"), "/metrics");
  EXPECT_THAT(reply, StartsWith("HTTP/1.1 403"));
  EXPECT_THAT(reply, HasSubstr("trainer/cora may not read this"));
}

TEST_F(HttpsTest, ThePageKnowsItsReader) {
  EXPECT_THAT(Get(port(), certificates_.Trainer("cora"), "/"),
              HasSubstr("page of trainer/cora"));
  EXPECT_THAT(Get(port(), certificates_.Operator(), "/"),
              HasSubstr("page of operator/"));
}

TEST_F(HttpsTest, WhoeverProvesNoNameIsRefused) {
  TlsFiles none = certificates_.Operator();
  none.cert = none.key = "";
  for (const TlsFiles& files :
       {none, certificates_.WithoutUri(), certificates_.TwoUris(),
        certificates_.Expired("tributary://operator/a"),
        certificates_.Foreign("tributary://operator/a")}) {
    EXPECT_EQ(Get(port(), files, "/metrics"), "") << files.cert;
  }
}

TEST_F(HttpsTest, OlderTlsIsRefused) {
  const TlsFiles files = certificates_.Operator();
  EXPECT_EQ(Get(port(), files, "/metrics", TLS1_2_VERSION), "");
  EXPECT_NE(Get(port(), files, "/metrics", TLS1_3_VERSION), "");
}

TEST_F(HttpsTest, PlainTextGetsAnAnswerThatSaysWhatIsWanted) {
  const int fd = ConnectTo(port());
  const std::string request = "GET /metrics HTTP/1.1\r\nHost: x\r\n\r\n";
  ASSERT_EQ(write(fd, request.data(), request.size()), request.size());
  std::string reply(4096, '\0');
  const ssize_t n = read(fd, reply.data(), reply.size());
  close(fd);
  EXPECT_THAT(reply.substr(0, n), StartsWith("HTTP/1.1 400"));
  EXPECT_THAT(reply.substr(0, n), HasSubstr("speaks TLS"));
  EXPECT_TRUE(Refused("not_tls", 1));
}

// Each takes 2 s to be cut off, and there are 64 places.
TEST_F(HttpsTest, SilentClientsKeepNobodyWaiting) {
  OpenSilent(250, INADDR_LOOPBACK, 0);
  EXPECT_LT(TimeOfGet(), absl::Seconds(1));
  char byte = 0;  // they are cut off
  for (const int fd : silent_) EXPECT_EQ(read(fd, &byte, 1), 0);
  EXPECT_TRUE(Refused("host_share", 250 - 32));
  EXPECT_TRUE(Refused("slow", 31));
}

TEST_F(HttpsTest, AClientThatBeginsAHandshakeAndGoesSilentIsSlow) {
  const int fd = ConnectTo(port());
  // A record that holds the first bytes of a client's hello of 512.
  const char hello[] = "\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03";
  ASSERT_EQ(write(fd, hello, sizeof(hello) - 1),
            static_cast<ssize_t>(sizeof(hello) - 1));
  char byte = 0;
  EXPECT_EQ(read(fd, &byte, 1), 0);
  close(fd);
  EXPECT_TRUE(Refused("slow", 1));
}

TEST_F(HttpsTest, SilentClientsOfManyHostsKeepNobodyWaiting) {
  OpenSilent(250, INADDR_LOOPBACK + 256, 1);
  EXPECT_LT(TimeOfGet(), absl::Seconds(1));
  EXPECT_TRUE(Refused("too_many", 250 - 64));
}

TEST_F(HttpsTest, SilentClientsOfOneHostTakeNoPlacesOfAnother) {
  OpenSilent(250, INADDR_LOOPBACK + 1, 0);
  const int own = ConnectTo(port());
  const std::string request = "GET /metrics HTTP/1.1\r\nHost: x\r\n\r\n";
  OpenSilent(250, INADDR_LOOPBACK + 1, 0);
  EXPECT_TRUE(Refused("host_share", 500 - 32));
  ASSERT_EQ(write(own, request.data(), request.size()), request.size());
  std::string reply(4096, '\0');
  reply.resize(std::max<ssize_t>(0, read(own, reply.data(), reply.size())));
  close(own);
  EXPECT_THAT(reply, HasSubstr("speaks TLS"));
}

TEST_F(HttpsTest, ANetworkOfIpv6IsOneHost) {
  std::vector<std::string> addresses = {"2001:db8::1"};
  for (int i = 0; i < 40; ++i) {
    addresses.push_back(absl::StrCat("2001:db8:0:7:", i + 1, "::9"));
  }
  const bool ran = RunWithIpv6Addresses(addresses, [&] {
    options_.listen = {"::", 0};
    server_ = MetricsServer::Start(options_).value();
    std::vector<UniqueFd> silent;
    for (int i = 0; i < 40; ++i) {
      silent.push_back(ConnectOverIpv6(addresses[i + 1], addresses[0], port()));
    }
    EXPECT_TRUE(Refused("host_share", 40 - 32));
    server_ = nullptr;
  });
  if (!ran) GTEST_SKIP() << "no network of one's own can be had here";
}

TEST_F(HttpsTest, RefusalsAreCountedByReason) {
  TlsFiles none = certificates_.Operator();
  none.cert = none.key = "";
  for (const auto& [files, reason] :
       std::vector<std::pair<TlsFiles, std::string>>{
           {none, "no_certificate"},
           {certificates_.WithoutUri(), "wrong_name"},
           {certificates_.TwoUris(), "wrong_name"},
           {certificates_.Expired("tributary://operator/a"), "expired"},
           {certificates_.Foreign("tributary://operator/a"), "untrusted"},
           {certificates_.Trainer("cora"), "wrong_role"}}) {
    const auto so_far = RefusedConnections::OfProcess().counts();
    Get(port(), files, "/metrics");
    EXPECT_TRUE(Refused(reason, so_far.at(reason) - before_.at(reason) + 1))
        << reason;
  }
  Get(port(), certificates_.Operator(), "/metrics", TLS1_2_VERSION);
  EXPECT_TRUE(Refused("other", 1));
  close(ConnectTo(port()));
  EXPECT_TRUE(Refused("given_up", 1));
}

// Without a restart; tls_context_test.cc has what does not replace the old
// ones.
TEST_F(HttpsTest, FilesAreReadAgain) {
  const TestAuthority next("next authority");
  const PemPair sampler = next.Issue({.uris = {"tributary://sampler/next"}});
  const TlsFiles files = certificates_.Write(
      next.pem(), next.Issue({.uris = {"tributary://operator/next"}}));
  EXPECT_EQ(Get(port(), files, "/healthz"), "");
  TestCertificates::Replace(options_.tls.cert, sampler.cert);
  TestCertificates::Replace(options_.tls.key, sampler.key);
  TestCertificates::Replace(options_.tls.ca, next.pem());
  const absl::Time deadline = absl::Now() + absl::Seconds(20);
  while (Get(port(), files, "/healthz").empty()) {
    ASSERT_LT(absl::Now(), deadline);
  }
  EXPECT_EQ(Get(port(), certificates_.Operator(), "/healthz"), "");
}

TEST_F(HttpsTest, FilesThatCannotBeUsedAreAnErrorThatNamesThem) {
  for (std::string TlsFiles::*file :
       {&TlsFiles::ca, &TlsFiles::cert, &TlsFiles::key}) {
    MetricsServerOptions options = options_;
    options.tls.*file = "/no/such.pem";
    const auto server = MetricsServer::Start(options);
    EXPECT_EQ(server.status().code(), absl::StatusCode::kNotFound);
    EXPECT_THAT(std::string(server.status().message()),
                HasSubstr("/no/such.pem"));
  }
  MetricsServerOptions options = options_;
  options.tls.key = certificates_.Operator().key;
  EXPECT_FALSE(MetricsServer::Start(options).ok());
}

}  // namespace
}  // namespace tributary
