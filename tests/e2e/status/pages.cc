// Prints what the status page is made of, for tests in Python.
//
//   pages advice       CODE<tab>SEVERITY<tab>ADVICE of each trouble
//   pages html SEED    a page of a fleet whose names are chosen to break it
#include <cstdio>
#include <cstdlib>
#include <random>
#include <string>

#include "absl/strings/string_view.h"
#include "common/status/fleet_html.h"
#include "common/status/fleet_status.h"
#include "common/status/trouble_advice.h"

namespace tributary {
namespace {

constexpr absl::string_view kPieces[] = {"<",
                                         ">",
                                         "&",
                                         "\"",
                                         "'",
                                         "</td>",
                                         "]]>",
                                         "<!--",
                                         "-->",
                                         "<script>",
                                         "</style>",
                                         "&lt;",
                                         "\n",
                                         "\t",
                                         "\x01",
                                         "\x7f",
                                         "\xff",
                                         "\xc3",
                                         "\xed\xa0\x80",
                                         "\xef\xbf\xbf",
                                         "\xef\xbf\xbe",
                                         "\xe2\x80\xae",
                                         "\xe5\x9b\xbe",
                                         "\xf0\x9f\x98\x80",
                                         "onload=x",
                                         "javascript:",
                                         "%s",
                                         "<?xml",
                                         "<![CDATA["};

std::string Name(std::mt19937& random) {
  std::string name;
  const size_t pieces = random() % 12;
  for (size_t i = 0; i < pieces; ++i) {
    if (random() % 3 == 0) {
      name += static_cast<char>(random() % 256);
    } else {
      name += std::string(kPieces[random() % std::size(kPieces)]);
    }
  }
  return name;
}

FleetStatus HostileFleet(unsigned seed) {
  std::mt19937 random(seed);
  FleetStatus fleet;
  fleet.told_by = Name(random);
  if (seed % 4 == 3) fleet.only_job = "j" + Name(random);
  for (int i = 0; i < 5; ++i) {
    FleetStatus::Server server;
    server.address = Name(random);
    server.problem = Name(random);
    server.version = Name(random);
    server.has_figures = i % 2 == 0;
    fleet.servers.push_back(server);
    fleet.partitions.push_back(
        {Name(random), {0, 1, 5}, {Name(random), Name(random)}});
    FleetStatus::Job job;
    job.name = Name(random);
    job.stage_us[i] = job.slowest_us = 1000;
    job.slowest_stage = random();
    job.slowest_server = Name(random);
    fleet.jobs.push_back(job);
    fleet.troubles.push_back(
        {Name(random), Name(random), random() % 3, {Name(random)}});
  }
  return fleet;
}

void PrintAdvice() {
  for (const TroubleKind& kind : AllTroubles()) {
    std::printf("%s\t%s\t%s\n", std::string(kind.code).c_str(),
                std::string(SeverityName(kind.severity)).c_str(),
                std::string(kind.advice).c_str());
  }
}

int Print(int argc, char** argv) {
  const absl::string_view what = argc > 1 ? argv[1] : "";
  if (what == "advice") {
    PrintAdvice();
    return 0;
  }
  if (what != "html" || argc != 3) return 2;
  const unsigned long seed = std::strtoul(argv[2], nullptr, 10);
  std::fputs(FleetHtml(HostileFleet(static_cast<unsigned>(seed))).c_str(),
             stdout);
  return 0;
}

}  // namespace
}  // namespace tributary

int main(int argc, char** argv) { return tributary::Print(argc, argv); }
