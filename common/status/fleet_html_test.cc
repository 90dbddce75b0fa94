#include "common/status/fleet_html.h"

#include <string>

#include "absl/strings/str_cat.h"
#include "common/status/fleet_tables.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace tributary {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

FleetStatus SmallFleet() {
  FleetStatus fleet;
  fleet.at = absl::FromUnixSeconds(1'800'000'000);
  fleet.told_by = "10.0.0.1:50051";
  FleetStatus::Server server;
  server.address = "10.0.0.1:50051";
  server.state = FleetStatus::State::kReady;
  server.has_figures = true;
  server.busy_permille = 830;
  server.memory_used_bytes = 1;
  server.memory_budget_bytes = 4;
  server.batches_per_s = 12.34;
  server.version = "0.1.0";
  fleet.servers = {server};
  fleet.partitions = {{"cora@b2c1", {1}, {}},
                      {"cora@b2c1", {0, 2, 3}, {"10.0.0.1:50051"}}};
  FleetStatus::Job job;
  job.name = "alpha";
  job.batches_per_s = 12.34;
  job.stage_us = {10, 80, 0, 10, 0, 0, 0};
  fleet.jobs = {job};
  fleet.troubles = {{"no_owner", "1 has none", 0, {"10.0.0.1:50051"}}};
  fleet.num_partitions = 4;
  fleet.num_unowned = 1;
  return fleet;
}

std::string Cells(std::initializer_list<const char*> cells) {
  std::string text;
  for (const char* cell : cells) {
    absl::StrAppend(&text, "<td>", cell, "</td>");
  }
  return text;
}

TEST(FleetHtmlTest, ShowsServersPartitionsJobsAndAdvice) {
  const std::string html = FleetHtml(SmallFleet());
  EXPECT_THAT(html, StartsWith("<!DOCTYPE html>\n"));
  EXPECT_THAT(html, HasSubstr("<th scope=\"row\">10.0.0.1:50051</th>"
                              "<td>ready</td><td class=\"number\">83%</td>"
                              "<td class=\"number\">25%</td>"));
  EXPECT_THAT(html,
              HasSubstr("<th scope=\"row\">cora@b2c1</th>" + Cells({"1"}) +
                        "<td class=\"number\">1</td>" + Cells({"none"})));
  EXPECT_THAT(html, HasSubstr(Cells({"0, 2-3"})));
  EXPECT_THAT(html, HasSubstr("<th scope=\"row\">alpha</th>"
                              "<td class=\"number\">12.3</td>"));
  EXPECT_THAT(html, HasSubstr(Cells({"sample 80%"})));
  EXPECT_THAT(html,
              AllOf(HasSubstr("no_owner"), HasSubstr("serve --partitions"),
                    HasSubstr("1 server, 4 partitions (1 without an "
                              "owner), 1 job, 1 trouble")));
}

TEST(FleetHtmlTest, NeedsNothingButItself) {
  const std::string html = FleetHtml(SmallFleet());
  EXPECT_THAT(html, AllOf(Not(HasSubstr("<script")), Not(HasSubstr("href=")),
                          Not(HasSubstr("src=")), Not(HasSubstr("http://")),
                          Not(HasSubstr("https://"))));
  EXPECT_THAT(html, HasSubstr("http-equiv=\"refresh\" content=\"5\""));
  EXPECT_THAT(html, HasSubstr("color-scheme: light dark"));
}

TEST(FleetHtmlTest, EscapesWhatOthersChose) {
  const std::string evil = "</th><script>x</script>\"'&\n";
  FleetStatus fleet = SmallFleet();
  fleet.jobs[0].name = fleet.servers[0].address = fleet.servers[0].version =
      fleet.partitions[0].graph = fleet.told_by = evil;
  fleet.partitions[1].owners = {evil};
  fleet.troubles[0] = {evil, evil, 1, {evil}};
  const std::string html = FleetHtml(fleet);
  EXPECT_THAT(html, Not(HasSubstr("<script")));
  EXPECT_THAT(html, HasSubstr("&lt;/th&gt;&lt;script&gt;"));
  fleet.only_job = evil;
  EXPECT_THAT(FleetHtml(fleet), Not(HasSubstr("<script")));
}

TEST(FleetHtmlTest, AnEmptyFleetSaysNone) {
  EXPECT_THAT(FleetHtml({}), HasSubstr("<h2>Jobs</h2>\n<p>none</p>"));
}

TEST(FleetHtmlTest, ATrainersPageHasItsJobAndNoServers) {
  FleetStatus fleet = SmallFleet();
  fleet.only_job = "alpha";
  const std::string html = FleetHtml(fleet);
  EXPECT_THAT(html, HasSubstr("id=\"jobs\""));
  EXPECT_THAT(html, AllOf(Not(HasSubstr("id=\"servers\"")),
                          Not(HasSubstr("id=\"partitions\""))));
}

TEST(FleetHtmlTest, LargeFleetsAreCut) {
  FleetStatus fleet = SmallFleet();
  fleet.servers.assign(1000, fleet.servers[0]);
  fleet.jobs.assign(300, fleet.jobs[0]);
  fleet.partitions.assign(500, fleet.partitions[0]);
  const std::string html = FleetHtml(fleet);
  EXPECT_THAT(html, HasSubstr("<p>and 800 more</p>"));
  EXPECT_THAT(html, HasSubstr("<p>and 300 more</p>"));
  EXPECT_THAT(html, HasSubstr("<p>and 100 more</p>"));
  EXPECT_LT(html.size(), 400'000u);
}

}  // namespace
}  // namespace tributary
