#include "common/status/fleet_text.h"

#include <random>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "common/text/display_width.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace tributary {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

FleetStatus::Server Server(const std::string& address) {
  FleetStatus::Server server;
  server.address = address;
  server.state = FleetStatus::State::kReady;
  server.has_figures = true;
  server.busy_permille = 1000;
  server.memory_used_bytes = 3;
  server.memory_budget_bytes = 4;
  server.queued = 4096;
  server.batches_per_s = 1234.5;
  server.bytes_per_s = 9.87e9;
  server.uptime_s = 100 * 86400;
  return server;
}

FleetStatus::Job Job(const std::string& name) {
  FleetStatus::Job job;
  job.name = name;
  job.batches_per_s = 1234.5;
  job.bytes_per_s = 9.87e9;
  job.queued = 4096;
  job.wait_known = true;
  job.wait_permille = 1000;
  job.failed = 12345;
  job.stage_us = {0, 1, 9, 0, 0, 0, 0};
  job.slowest_us = 123'456;
  job.slowest_epoch = 12;
  job.slowest_index = 123'456'789;
  return job;
}

void ExpectNarrow(const FleetStatus& fleet) {
  for (const absl::string_view line : absl::StrSplit(FleetText(fleet), '\n')) {
    EXPECT_LE(DisplayWidth(line), 80u) << line;
    EXPECT_EQ(line.find('\x1b'), absl::string_view::npos) << line;
  }
}

TEST(FleetTextTest, ShowsTheSameAsThePage) {
  FleetStatus fleet;
  fleet.at = absl::FromUnixSeconds(1'800'000'000);
  fleet.servers = {Server("10.0.0.1:50051")};
  fleet.partitions = {{"cora@b2c1e0aa90f3", {1}, {}}};
  fleet.jobs = {Job("alpha")};
  fleet.troubles = {{"no_owner", "1 of 2 has none", 7, {"10.0.0.1:50051"}}};
  const std::string text = FleetText(fleet);
  EXPECT_THAT(text, HasSubstr("tributary 2027-01-15 08:00:00 UTC\n"));
  EXPECT_THAT(text, HasSubstr("10.0.0.1:50051 ready 100%    75%   4096"));
  EXPECT_THAT(text, HasSubstr("cora@b2c1e0aa90f3 1              1 none\n"));
  EXPECT_THAT(text, HasSubstr("sample_peers 90%"));
  EXPECT_THAT(text, HasSubstr("error no_owner: 1 of 2 has none; 7 in the last "
                              "minute; told by 10.0.0.1:50051\n"));
  EXPECT_THAT(text, HasSubstr("\n  -> Batches that need these partitions"));
  ExpectNarrow(fleet);
}

TEST(FleetTextTest, IsNeverWiderThanATerminal) {
  const std::string wide = "\xe5\x9b\xbe\xe6\x95\xb0";
  std::string very_wide;
  for (int i = 0; i < 100; ++i) very_wide += wide;
  FleetStatus fleet;
  for (const std::string& name :
       {std::string(256, 'j'), very_wide, std::string("\x1b[2J\n\t\xff"),
        std::string("a b c")}) {
    fleet.servers.push_back(Server(name));
    fleet.servers.back().problem = name;
    fleet.jobs.push_back(Job(name));
    fleet.partitions.push_back({name, {0, 2, 4, 6, 8, 10, 12}, {name, name}});
    fleet.troubles.push_back({name, name, 99, {name, name}});
  }
  ExpectNarrow(fleet);
  fleet.only_job = very_wide;
  ExpectNarrow(fleet);
}

TEST(FleetTextTest, NamesAreCutBeforeFigures) {
  FleetStatus fleet;
  fleet.jobs = {Job(std::string(256, 'j'))};
  fleet.jobs[0].slowest_index = 7;
  const std::string text = FleetText(fleet);
  EXPECT_THAT(text, HasSubstr("\njjjjjjjjj"));
  EXPECT_THAT(text, HasSubstr(" sample_peers 90% 12:7 123.5 ms\n"));
}

TEST(FleetTextTest, RandomBytesAreNeverWider) {
  std::mt19937 random(7);
  for (int round = 0; round < 200; ++round) {
    FleetStatus fleet;
    const auto name = [&random] {
      std::string bytes(random() % 300, ' ');
      for (char& c : bytes) c = static_cast<char>(random());
      return bytes;
    };
    for (int i = 0; i < 4; ++i) {
      fleet.servers.push_back(Server(name()));
      fleet.jobs.push_back(Job(name()));
      fleet.partitions.push_back({name(), {0}, {name()}});
      fleet.troubles.push_back({name(), name(), 1, {name()}});
    }
    ExpectNarrow(fleet);
  }
}

TEST(FleetTextTest, LargeFleetsAreCut) {
  FleetStatus fleet;
  for (int i = 0; i < 1000; ++i) {
    fleet.servers.push_back(Server(absl::StrCat("10.0.", i, ".1:50051")));
  }
  const std::string text = FleetText(fleet);
  EXPECT_THAT(text, HasSubstr("and 960 more\n"));
  EXPECT_THAT(text, HasSubstr("10.0.39.1:50051"));
  EXPECT_THAT(text, Not(HasSubstr("10.0.40.1:50051")));
  ExpectNarrow(fleet);
}

}  // namespace
}  // namespace tributary
