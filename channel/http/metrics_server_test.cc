#include "channel/http/metrics_server.h"

#include <arpa/inet.h>
#include <sys/socket.h>
#include <unistd.h>

#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace tributary {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

int ConnectTo(uint16_t port) {
  const int fd = socket(AF_INET, SOCK_STREAM, 0);
  sockaddr_in to{};
  to.sin_family = AF_INET;
  to.sin_port = htons(port);
  to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  EXPECT_EQ(connect(fd, reinterpret_cast<sockaddr*>(&to), sizeof(to)), 0);
  return fd;
}

// Sends bytes to the loopback port and reads until the other end closes.
std::string Exchange(uint16_t port, const std::string& request) {
  const int fd = ConnectTo(port);
  std::string reply;
  if (write(fd, request.data(), request.size()) ==
      static_cast<ssize_t>(request.size())) {
    char buffer[4096];
    ssize_t n = 0;
    while ((n = read(fd, buffer, sizeof(buffer))) > 0) reply.append(buffer, n);
  }
  close(fd);
  return reply;
}

std::string Get(uint16_t port, const std::string& path) {
  return Exchange(port, absl::StrCat("GET ", path,
                                     " HTTP/1.1\r\nHost: x\r\nConnection: "
                                     "close\r\n\r\n"));
}

MetricsServerOptions Options(absl::Status health) {
  MetricsServerOptions options;
  options.listen = {"127.0.0.1", 0};
  options.metrics = [] { return "answer 42\n"; };
  options.health = [health] { return health; };
  return options;
}

TEST(MetricsServerTest, ServesMetricsHealthAndNothingElse) {
  auto server = MetricsServer::Start(Options(absl::OkStatus())).value();
  const uint16_t port = server->address().port;
  ASSERT_NE(port, 0);
  EXPECT_THAT(Get(port, "/metrics"), StartsWith("HTTP/1.1 200"));
  EXPECT_THAT(Get(port, "/metrics"), HasSubstr("\r\n\r\nanswer 42\n"));
  EXPECT_THAT(Get(port, "/healthz"), HasSubstr("\r\n\r\nok\n"));
  EXPECT_THAT(Get(port, "/etc/passwd"), StartsWith("HTTP/1.1 404"));
  EXPECT_THAT(Get(port, "/metrics/../../etc/passwd"), StartsWith("HTTP/1.1 4"));
}

TEST(MetricsServerTest, SaysWhyItIsNotHealthy) {
  auto server =
      MetricsServer::Start(Options(absl::UnavailableError("draining"))).value();
  const std::string reply = Get(server->address().port, "/healthz");
  EXPECT_THAT(reply, StartsWith("HTTP/1.1 503"));
  EXPECT_THAT(reply, HasSubstr("draining"));
}

TEST(MetricsServerTest, HealthAloneTellsNothingElse) {
  MetricsServerOptions options = Options(absl::OkStatus());
  options.metrics = nullptr;
  auto server = MetricsServer::Start(std::move(options)).value();
  const uint16_t port = server->address().port;
  EXPECT_THAT(Get(port, "/healthz"), StartsWith("HTTP/1.1 200"));
  EXPECT_THAT(Get(port, "/metrics"), StartsWith("HTTP/1.1 404"));
}

TEST(MetricsServerTest, RefusesOtherRequestsThanGet) {
  auto server = MetricsServer::Start(Options(absl::OkStatus())).value();
  const uint16_t port = server->address().port;
  EXPECT_THAT(Exchange(port, "HEAD /metrics HTTP/1.1\r\nHost: x\r\n\r\n"),
              StartsWith("HTTP/1.1 405"));
  EXPECT_THAT(Exchange(port, "nonsense\r\n\r\n"), StartsWith("HTTP/1.1 400"));
  EXPECT_THAT(Get(port, "/" + std::string(9000, 'x')),
              StartsWith("HTTP/1.1 400"));
  EXPECT_THAT(Get(port, "/metrics?x=1"), StartsWith("HTTP/1.1 200"));
}

// As the probe of an orchestrator, which gives up after some seconds.
TEST(MetricsServerTest, AProbeIsAnsweredBesideSilentClientsOfItsHost) {
  MetricsServerOptions options = Options(absl::OkStatus());
  options.metrics = nullptr;
  auto server = MetricsServer::Start(std::move(options)).value();
  const uint16_t port = server->address().port;
  std::vector<int> silent;
  for (int i = 0; i < 250; ++i) silent.push_back(ConnectTo(port));
  const absl::Time begin = absl::Now();
  EXPECT_THAT(Get(port, "/healthz"), StartsWith("HTTP/1.1 200"));
  EXPECT_LT(absl::Now() - begin, absl::Seconds(1));
  for (const int fd : silent) close(fd);
}

TEST(MetricsServerTest, APortInUseIsAnErrorThatNamesIt) {
  auto first = MetricsServer::Start(Options(absl::OkStatus())).value();
  MetricsServerOptions again = Options(absl::OkStatus());
  again.listen = first->address();
  const auto second = MetricsServer::Start(std::move(again));
  EXPECT_EQ(second.status().code(), absl::StatusCode::kUnavailable);
  EXPECT_THAT(std::string(second.status().message()),
              HasSubstr(first->address().ToString()));
}

TEST(MetricsServerTest, ThePageIsAtTheRootWithItsHeaders) {
  MetricsServerOptions options = Options(absl::OkStatus());
  options.page = [](const Identity&) {
    return HttpReply{
        200, "text/html", "<p>page</p>", {{"Cache-Control", "no-store"}}};
  };
  auto server = MetricsServer::Start(std::move(options)).value();
  const std::string reply = Get(server->address().port, "/?x");
  EXPECT_THAT(reply, StartsWith("HTTP/1.1 200"));
  EXPECT_THAT(reply, HasSubstr("Cache-Control: no-store\r\n"));
  EXPECT_THAT(reply, HasSubstr("Content-Type: text/html\r\n"));
  EXPECT_THAT(reply, HasSubstr("\r\n\r\n<p>page</p>"));
  EXPECT_THAT(Get(server->address().port, "/page"),
              HasSubstr("there are /, /metrics and /healthz"));
}

TEST(MetricsServerTest, WithoutAPageTheRootIsNotFound) {
  auto server = MetricsServer::Start(Options(absl::OkStatus())).value();
  EXPECT_THAT(Get(server->address().port, "/"), StartsWith("HTTP/1.1 404"));
}

}  // namespace
}  // namespace tributary
