// Real servers over loopback.
#include "cli/fleet/fleet_query.h"

#include <chrono>
#include <memory>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "cli/fleet/fleet_checks.h"
#include "gtest/gtest.h"
#include "partition/format/testing/graph_builder.h"
#include "sampler_server/server/sampler_server.h"

namespace tributary {
namespace {

constexpr absl::Duration kTimeout = absl::Seconds(20);

class FleetQueryTest : public ::testing::Test {
 protected:
  FleetQueryTest() {
    GraphSpec graph;
    graph.num_nodes = 4;
    graph.edges = {{0, 1}, {1, 2}, {2, 3}};
    graph.num_partitions = 2;
    WriteGraphTo(graph, folder_.File("graph"));
  }
  std::unique_ptr<SamplerServer> Serve(uint32_t partition,
                                       const std::string& peers) {
    SamplerServerOptions options;
    options.graphs = {{folder_.File("graph"), {partition}}};
    options.peers = peers;
    options.threads = 1;
    return SamplerServer::Start(options).value();
  }

  TemporaryFolder folder_;
};

TEST_F(FleetQueryTest, SaysWhoAnswersAndHowSoon) {
  const auto zero = Serve(0, "");
  const std::string at = zero->address().ToString();
  const auto one = Serve(1, at);
  const std::string list = absl::StrCat(at, ",", one->address().ToString());
  auto answers = AskServers({list}, {}, kTimeout, /*probes=*/2);
  ASSERT_TRUE(answers.ok()) << answers.status();
  ASSERT_EQ(answers->size(), 2);
  for (const ServerAnswer& answer : *answers) {
    ASSERT_TRUE(answer.reports.ok()) << answer.reports.status();
    const uint32_t owned = answer.address == zero->address() ? 0 : 1;
    EXPECT_EQ(answer.reports->front().partitions, std::vector<uint32_t>{owned});
    EXPECT_EQ(answer.reports->front().schema.num_partitions, 2);
    ASSERT_TRUE(answer.round_trip.has_value());
    EXPECT_GT(*answer.round_trip, absl::ZeroDuration());
  }
  // Zero was told of nobody and owns only half; One finds Zero in a moment.
  const std::string name = absl::StrCat("peers of ", one->address().ToString());
  const auto deadline =
      std::chrono::steady_clock::now() + absl::ToChronoNanoseconds(kTimeout);
  Check::Level level = Check::Level::kFail;
  while (level != Check::Level::kOk &&
         std::chrono::steady_clock::now() < deadline) {
    answers = AskServers({list}, {}, kTimeout);
    ASSERT_TRUE(answers.ok());
    for (const Check& check : CheckFleet(*answers)) {
      if (check.what == name) level = check.level;
    }
  }
  EXPECT_EQ(level, Check::Level::kOk);
  EXPECT_EQ(CountFailed(CheckFleet(*answers)), 1);
}

TEST_F(FleetQueryTest, OneThatIsGoneIsUnavailable) {
  const auto zero = Serve(0, "");
  auto gone = Serve(1, "");
  const Address address = gone->address();
  gone.reset();
  const auto answers = AskServers(
      {absl::StrCat(zero->address().ToString(), ",", address.ToString())}, {},
      kTimeout, /*probes=*/1);
  ASSERT_TRUE(answers.ok());
  ASSERT_EQ(answers->size(), 2);
  for (const ServerAnswer& answer : *answers) {
    EXPECT_EQ(answer.reports.ok(), answer.address != address);
    EXPECT_EQ(answer.round_trip.has_value(), answer.address != address);
  }
}

TEST(FleetListTest, WhatIsNoListIsAUsageError) {
  EXPECT_EQ(AskServers({"nonsense"}, {}, kTimeout).status().code(),
            absl::StatusCode::kInvalidArgument);
  EXPECT_FALSE(AskServers({"file:/nowhere"}, {}, kTimeout).ok());
}

TEST(FleetListTest, SomeOfTheTlsFilesAloneAreAUsageError) {
  const auto answers =
      AskServers({"127.0.0.1:1", {.ca = "ca.pem"}}, {}, kTimeout);
  EXPECT_EQ(answers.status().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(answers.status().message(),
            "--tls-cert and --tls-key missing: TLS needs --tls-ca, --tls-cert "
            "and --tls-key");
}

}  // namespace
}  // namespace tributary
