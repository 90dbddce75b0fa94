// Real servers over loopback, and one that says nothing.
#include "cli/status/watch_status.h"

#include <arpa/inet.h>
#include <sys/socket.h>
#include <unistd.h>

#include <chrono>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "absl/strings/str_cat.h"
#include "cli/command/command.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "partition/format/testing/graph_builder.h"
#include "sampler_server/server/sampler_server.h"

namespace tributary {
namespace {

using ::testing::HasSubstr;
using ::testing::SizeIs;
using ::testing::StartsWith;

constexpr absl::Duration kTimeout = absl::Seconds(20);

// Takes connections, as the system does for it, and says nothing.
class SilentPort {
 public:
  SilentPort() : fd_(socket(AF_INET, SOCK_STREAM, 0)) {
    sockaddr_in own{};
    own.sin_family = AF_INET;
    own.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    EXPECT_EQ(bind(fd_, reinterpret_cast<sockaddr*>(&own), sizeof(own)), 0);
    EXPECT_EQ(listen(fd_, 16), 0);
    socklen_t size = sizeof(own);
    EXPECT_EQ(getsockname(fd_, reinterpret_cast<sockaddr*>(&own), &size), 0);
    address_ = absl::StrCat("127.0.0.1:", ntohs(own.sin_port));
  }
  ~SilentPort() { close(fd_); }
  const std::string& address() const { return address_; }

 private:
  const int fd_;
  std::string address_;
};

class WatchStatusTest : public ::testing::Test {
 protected:
  WatchStatusTest() {
    GraphSpec graph;
    graph.num_nodes = 4;
    graph.edges = {{0, 1}, {1, 2}, {2, 3}};
    graph.num_partitions = 2;
    WriteGraphTo(graph, folder_.File("graph"));
  }
  std::unique_ptr<SamplerServer> Serve(uint32_t partition) {
    SamplerServerOptions options;
    options.graphs = {{folder_.File("graph"), {partition}}};
    options.threads = 1;
    return SamplerServer::Start(options).value();
  }

  SignalWatcher signals_;
  TemporaryFolder folder_;
};

TEST_F(WatchStatusTest, AsksEachServerForWhatItOwns) {
  const auto zero = Serve(0);
  const auto one = Serve(1);
  const std::string first = zero->address().ToString();
  const auto query =
      StatusQuery::Open({absl::StrCat(first, ",", one->address().ToString())})
          .value();
  for (int round = 0; round < 3; ++round) {
    const auto views = query->Ask(kTimeout);
    ASSERT_TRUE(views.ok()) << views.status();
    ASSERT_THAT(*views, SizeIs(2));
    for (const ServerView& view : *views) {
      ASSERT_TRUE(view.answer.ok()) << view.answer;
      ASSERT_TRUE(view.status.has_value());
      ASSERT_EQ(view.status->graphs_size(), 1);
      EXPECT_EQ(view.status->graphs(0).owned_runs(0),
                view.address == first ? 0u : 1u);
    }
    EXPECT_EQ(MakeFleetStatus(absl::Now(), "", *views).num_unowned, 0u);
  }
}

TEST_F(WatchStatusTest, SilentServersHoldUpNobodyBeyondTheTimeout) {
  const auto zero = Serve(0);
  const SilentPort silent;
  const auto query =
      StatusQuery::Open(
          {absl::StrCat(silent.address(), ",", zero->address().ToString())})
          .value();
  const auto began = std::chrono::steady_clock::now();
  const auto views = query->Ask(absl::Seconds(2));
  EXPECT_LT(std::chrono::steady_clock::now() - began, std::chrono::seconds(4));
  ASSERT_TRUE(views.ok()) << views.status();
  ASSERT_THAT(*views, SizeIs(2));
  for (const ServerView& view : *views) {
    EXPECT_EQ(view.answer.ok(), view.address != silent.address())
        << view.address << view.answer;
    EXPECT_EQ(view.status.has_value(), view.address != silent.address());
  }
}

TEST_F(WatchStatusTest, ReportsSoOftenAndSaysWhatIsMissing) {
  const auto zero = Serve(0);
  WatchOptions options;
  options.access.servers = zero->address().ToString();
  options.timeout = kTimeout;
  options.interval = absl::Milliseconds(10);
  options.count = 3;
  std::vector<std::string> reports;
  const auto print = [&reports](const std::string& r) { reports.push_back(r); };
  EXPECT_TRUE(WatchStatus(options, signals_, print).ok());
  ASSERT_THAT(reports, SizeIs(3));
  EXPECT_THAT(reports[0], StartsWith("tributary 2"));
  EXPECT_THAT(reports[0], HasSubstr("error no_owner: 1 of 2 partitions"));
  EXPECT_THAT(reports[1], StartsWith("\ntributary 2"));
  options.redraw = true;
  options.count = 1;
  EXPECT_TRUE(WatchStatus(options, signals_, print).ok());
  EXPECT_THAT(reports[3], StartsWith("\x1b[H\x1b[2Jtributary 2"));
}

TEST_F(WatchStatusTest, StoppingEndsAQuestionAtOnce) {
  const SilentPort silent;
  const auto query = StatusQuery::Open({silent.address()}).value();
  std::thread stopper([&query] { query->Stop(); });
  const auto began = std::chrono::steady_clock::now();
  EXPECT_TRUE(absl::IsCancelled(query->Ask(absl::Seconds(30)).status()));
  EXPECT_LT(std::chrono::steady_clock::now() - began, std::chrono::seconds(10));
  stopper.join();
  EXPECT_TRUE(absl::IsCancelled(query->Ask(absl::Seconds(30)).status()));
}

TEST_F(WatchStatusTest, AListOfAWrongFormIsAUsageError) {
  EXPECT_EQ(ExitCodeOf(StatusQuery::Open({"nonsense"}).status()), kExitUsage);
}

TEST_F(WatchStatusTest, AListThatIsNotThereIsReportedAndReadAgain) {
  WatchOptions options;
  options.access.servers = absl::StrCat("file:", folder_.File("none"));
  options.timeout = absl::Milliseconds(200);
  options.interval = absl::Milliseconds(10);
  options.count = 2;
  std::vector<std::string> reports;
  EXPECT_TRUE(WatchStatus(options, signals_, [&](const std::string& report) {
                reports.push_back(report);
              }).ok());
  ASSERT_THAT(reports, SizeIs(2));
  EXPECT_THAT(reports[0], StartsWith("tributary status: "));
}

}  // namespace
}  // namespace tributary
