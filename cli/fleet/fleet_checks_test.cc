#include "cli/fleet/fleet_checks.h"

#include <string>
#include <utility>
#include <vector>

#include "channel/envelope.h"
#include "common/random/hop_key.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace tributary {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr Check::Level kOk = Check::Level::kOk;
constexpr Check::Level kWarn = Check::Level::kWarn;
constexpr Check::Level kFail = Check::Level::kFail;

// A server at 10.0.0.N:1 of a graph of two partitions.
ServerAnswer Server(int n, std::vector<uint32_t> partitions,
                    std::vector<PeerReport> peers) {
  ServerReport report;
  report.wire_version = kWireVersion;
  report.schema.name = "g";
  report.schema.semantics_version = kSemanticsVersion;
  report.schema.num_partitions = 2;
  report.schema.content_digest[0] = 0xAB;
  report.schema.layout_digest[0] = 0xCD;
  report.partitions = std::move(partitions);
  report.incarnation = static_cast<uint64_t>(n);
  report.peers = std::move(peers);
  return {{"10.0.0." + std::to_string(n), 1},
          std::vector<ServerReport>{report},
          absl::Milliseconds(2),
          {}};
}

// Each owns one partition and sees the other.
std::vector<ServerAnswer> HealthyFleet() {
  return {Server(1, {0}, {{"10.0.0.2:1", true, {1}}}),
          Server(2, {1}, {{"10.0.0.1:1", true, {0}}})};
}

// The same fleet with a second graph, whose reports come last.
std::vector<ServerAnswer> FleetOfTwoGraphs() {
  std::vector<ServerAnswer> fleet = HealthyFleet();
  for (ServerAnswer& answer : fleet) {
    ServerReport next = answer.reports->front();
    next.schema.content_digest[0] = 0xAC;
    next.schema.layout_digest[0] = 0xCE;
    answer.reports->push_back(std::move(next));
  }
  return fleet;
}

std::vector<std::string> Lines(const std::vector<Check>& checks) {
  std::vector<std::string> lines;
  for (const Check& check : checks) lines.push_back(check.ToString());
  return lines;
}

// The checks that are not ok, as "fail what".
std::vector<std::string> Problems(const std::vector<ServerAnswer>& answers) {
  std::vector<std::string> problems;
  for (const Check& check : CheckFleet(answers)) {
    if (check.level == kOk) {
      EXPECT_THAT(check.remedy, IsEmpty()) << check.ToString();
      continue;
    }
    EXPECT_FALSE(check.remedy.empty()) << check.ToString();
    problems.push_back((check.level == kFail ? "fail " : "warn ") + check.what);
  }
  return problems;
}

const Check& Find(const std::vector<Check>& checks, const std::string& what) {
  for (const Check& check : checks) {
    if (check.what == what) return check;
  }
  static const Check none;
  ADD_FAILURE() << "no check of " << what;
  return none;
}

TEST(FleetChecksTest, AHealthyFleetToTheLetter) {
  EXPECT_THAT(
      Lines(CheckFleet(HealthyFleet())),
      ElementsAre(
          "ok    server 10.0.0.1:1: answers, round trip 2 ms",
          "ok    server 10.0.0.2:1: answers, round trip 2 ms",
          "ok    list: 2 different servers answer",
          "ok    versions: wire 2 semantics 1 at 10.0.0.1:1, 10.0.0.2:1",
          "ok    transport: gRPC alone",
          "ok    graph: g content=ab00000000000000 layout=cd00000000000000",
          "ok    draining: no server is", "ok    partitions: owners: 0x1, 1x1",
          "ok    peers of 10.0.0.1:1: 1 healthy",
          "ok    peers of 10.0.0.2:1: 1 healthy"));
}

TEST(FleetChecksTest, StreamsOverTcpGetThroughOrNot) {
  std::vector<ServerAnswer> fleet = HealthyFleet();
  fleet[0].reports->front().takes_tcp = true;
  fleet[0].tcp = absl::OkStatus();
  EXPECT_EQ(Find(CheckFleet(fleet), "transport").ToString(),
            "ok    transport: gRPC alone at 10.0.0.2:1; TCP, too, at "
            "10.0.0.1:1");
  fleet[1].reports->front().takes_tcp = true;  // was not tried
  EXPECT_EQ(Find(CheckFleet(fleet), "transport").ToString(),
            "ok    transport: TCP and gRPC");
  fleet[1].tcp = absl::UnavailableError("cut");
  EXPECT_THAT(Problems(fleet), ElementsAre("warn transport"));
  EXPECT_THAT(Find(CheckFleet(fleet), "transport").ToString(),
              HasSubstr("do not get through to 10.0.0.2:1: UNAVAILABLE: cut"));
}

TEST(FleetChecksTest, ASilentServerTakesItsPartitionAlong) {
  std::vector<ServerAnswer> fleet = HealthyFleet();
  fleet[0].reports->front().peers[0] = {"10.0.0.2:1", false, {}};
  fleet[1].reports = absl::UnavailableError("refused\nindeed");
  EXPECT_THAT(Problems(fleet),
              ElementsAre("fail server 10.0.0.2:1", "fail partitions",
                          "fail peers of 10.0.0.1:1"));
  const auto checks = CheckFleet(fleet);
  EXPECT_EQ(Find(checks, "server 10.0.0.2:1").ToString(),
            "fail  server 10.0.0.2:1: UNAVAILABLE: refused\\nindeed; start "
            "`tributary serve --listen 10.0.0.2:1`, or take it from the list; "
            "if it runs, let this machine reach that port");
  EXPECT_THAT(Find(checks, "partitions").ToString(),
              HasSubstr("no owner of 1; start `tributary serve --partitions "
                        "1`"));
}

TEST(FleetChecksTest, NobodyAnswers) {
  ServerAnswer silent = Server(1, {}, {});
  silent.reports = absl::DeadlineExceededError("no answer");
  EXPECT_THAT(Problems({silent}), ElementsAre("fail server 10.0.0.1:1"));
}

TEST(FleetChecksTest, OtherContentAndOtherLayout) {
  std::vector<ServerAnswer> fleet = HealthyFleet();
  fleet[1].reports->front().schema.layout_digest[0] = 0xCE;
  EXPECT_THAT(Problems(fleet), ElementsAre("fail graph"));
  EXPECT_THAT(Find(CheckFleet(fleet), "graph").detail,
              "one graph in different partitionings: layout=cd00000000000000 "
              "at 10.0.0.1:1 but layout=ce00000000000000 at 10.0.0.2:1");
  fleet[1].reports->front().schema.content_digest[0] = 0xAC;
  EXPECT_THAT(Problems(fleet), ElementsAre("fail graph"));
  EXPECT_THAT(Find(CheckFleet(fleet), "graph").detail,
              "g content=ab00000000000000 at 10.0.0.1:1 but g "
              "content=ac00000000000000 at 10.0.0.2:1");
}

// What is shown of a digest is not what is compared.
TEST(FleetChecksTest, DigestsThatBeginAlikeAreOthers) {
  std::vector<ServerAnswer> fleet = HealthyFleet();
  fleet[1].reports->front().schema.layout_digest[8] = 0x1E;
  EXPECT_THAT(Problems(fleet), ElementsAre("fail graph"));
  EXPECT_THAT(Find(CheckFleet(fleet), "graph").detail,
              "one graph in different partitionings: layout=cd000000000000000 "
              "at 10.0.0.1:1 but layout=cd000000000000001 at 10.0.0.2:1");
  fleet[1].reports->front().schema.content_digest[31] = 1;
  EXPECT_THAT(Problems(fleet), ElementsAre("fail graph"));
  EXPECT_THAT(Find(CheckFleet(fleet), "graph").detail,
              HasSubstr("01 at 10.0.0.2:1"));
}

// A server that lacks the last partition of the larger graph is found by that
// one's number.
TEST(FleetChecksTest, AGraphOfMorePartitionsLacksItsOwn) {
  std::vector<ServerAnswer> fleet = FleetOfTwoGraphs();
  for (ServerAnswer& answer : fleet) {
    answer.reports->back().schema.num_partitions = 3;
  }
  EXPECT_EQ(Find(CheckFleet(fleet), "partitions (g@ab0000000000)").detail,
            "owners: 0x1, 1x1");
  EXPECT_EQ(Find(CheckFleet(fleet), "partitions (g@ac0000000000)").detail,
            "owners: 0x1, 1x1, 2x0; no owner of 2");
}

TEST(FleetChecksTest, VersionsThatThisProgramDoesNotSpeak) {
  std::vector<ServerAnswer> fleet = HealthyFleet();
  fleet[1].reports->front().wire_version = kWireVersion + 1;
  EXPECT_THAT(Problems(fleet), ElementsAre("fail versions"));
}

TEST(FleetChecksTest, OneDrainsOrAllDo) {
  std::vector<ServerAnswer> fleet = HealthyFleet();
  fleet[1].reports->front().draining = true;
  EXPECT_THAT(Problems(fleet), ElementsAre("warn draining"));
  fleet[0].reports->front().draining = true;
  EXPECT_THAT(Problems(fleet), ElementsAre("fail draining"));
}

TEST(FleetChecksTest, AServerWithoutPeersFailsUnlessItOwnsAll) {
  std::vector<ServerAnswer> fleet = {Server(1, {0}, {}), Server(2, {0, 1}, {})};
  EXPECT_THAT(Problems(fleet), ElementsAre("fail peers of 10.0.0.1:1"));
  EXPECT_EQ(Find(CheckFleet(fleet), "peers of 10.0.0.1:1").detail,
            "0 healthy, not told of 10.0.0.2:1, reaches no healthy owner of "
            "partition 1");
  EXPECT_EQ(Find(CheckFleet(fleet), "partitions").detail, "owners: 0x2, 1x1");
}

TEST(FleetChecksTest, APeerThatIsNotNeededIsAWarning) {
  std::vector<ServerAnswer> fleet = HealthyFleet();
  fleet.push_back(Server(3, {0, 1}, {}));
  fleet[0].reports->front().peers.push_back({"10.0.0.3:1", false, {}});
  EXPECT_THAT(Problems(fleet), ElementsAre("warn peers of 10.0.0.1:1",
                                           "warn peers of 10.0.0.2:1"));
}

TEST(FleetChecksTest, FarAwayAndListedTwice) {
  std::vector<ServerAnswer> fleet = {Server(1, {0, 1}, {}),
                                     Server(2, {0, 1}, {})};
  fleet[1].reports->front().incarnation = 1;
  fleet[1].round_trip = absl::Milliseconds(21);
  EXPECT_THAT(Problems(fleet),
              ElementsAre("warn server 10.0.0.2:1", "warn list"));
  EXPECT_EQ(Find(CheckFleet(fleet), "list").level, kWarn);
}

TEST(FleetChecksTest, EachOfSeveralGraphsIsLookedAt) {
  std::vector<ServerAnswer> fleet = FleetOfTwoGraphs();
  EXPECT_THAT(Problems(fleet), IsEmpty());
  EXPECT_EQ(Find(CheckFleet(fleet), "partitions (g@ac0000000000)").detail,
            "owners: 0x1, 1x1");

  fleet[1].reports->back().partitions = {0};
  EXPECT_THAT(Problems(fleet),
              ElementsAre("fail partitions (g@ac0000000000)",
                          "fail peers of 10.0.0.2:1 (g@ac0000000000)"));
  fleet[1].reports->pop_back();
  EXPECT_THAT(Problems(fleet),
              ElementsAre("warn graph", "fail partitions (g@ac0000000000)"));
}

TEST(FleetChecksTest, AVersionThatIsRetiredEverywhereIsAWarning) {
  std::vector<ServerAnswer> fleet = FleetOfTwoGraphs();
  for (ServerAnswer& answer : fleet) answer.reports->front().draining = true;
  EXPECT_THAT(Problems(fleet), ElementsAre("warn draining (g@ab0000000000)"));
}

}  // namespace
}  // namespace tributary
