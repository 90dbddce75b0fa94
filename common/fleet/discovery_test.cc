#include "common/fleet/discovery.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <string>
#include <vector>

#include "common/fleet/backoff.h"
#include "common/fleet/membership.h"
#include "common/testing/sim_scheduler.h"

namespace tributary {
namespace {

using ::testing::Test;

const Address kA{"a", 1};
const Address kB{"b", 2};
const Address kC{"c", 3};

TEST(DiscoverySource, ReadsTheThreeForms) {
  auto list = ParseDiscoverySource("a:1,b:2");
  ASSERT_TRUE(list.ok());
  EXPECT_EQ(list->kind, DiscoverySource::Kind::kStatic);
  EXPECT_EQ(list->addresses, (std::vector<Address>{kA, kB}));
  auto file = ParseDiscoverySource("file:/etc/ip_config.txt");
  ASSERT_TRUE(file.ok());
  EXPECT_EQ(file->path, "/etc/ip_config.txt");
  auto dns = ParseDiscoverySource("dns:///samplers.default.svc:50051");
  ASSERT_TRUE(dns.ok());
  EXPECT_EQ(dns->name, (Address{"samplers.default.svc", 50051}));
}

TEST(DiscoverySource, RefusesOthersWithTheText) {
  for (const char* text :
       {"", "file:", "dns://a:1", "dns:///a", "a", "a:1,a:1", "a:99999"}) {
    const auto source = ParseDiscoverySource(text);
    ASSERT_FALSE(source.ok()) << text;
    EXPECT_NE(source.status().message().find(text), std::string::npos);
    EXPECT_NE(source.status().message().find("file:PATH"), std::string::npos);
  }
}

TEST(DiscoverySource, APortIsNeededOnTheCommandLine) {
  const auto source = ParseDiscoverySource("172.31.19.1,172.31.19.2");
  ASSERT_FALSE(source.ok());
  EXPECT_NE(source.status().message().find("\"172.31.19.1\": no port"),
            std::string::npos)
      << source.status();
}

TEST(ServerFile, TakesBothSpellingsAndComments) {
  const auto servers = ParseServerFile(
      "# the fleet\n a:1 \n\nb 2 # second\r\nc\t3\na:1\n::1 4\n", "f");
  ASSERT_TRUE(servers.ok()) << servers.status();
  EXPECT_EQ(*servers, (std::vector<Address>{kA, kB, kC, Address{"::1", 4}}));
}

// DGL's ip_config.txt.
TEST(ServerFile, LinesWithoutAPortHaveDglsDefault) {
  const auto servers = ParseServerFile(
      "172.31.19.1\n172.31.29.175 # second\n172.31.23.98 30051\n"
      "node-3.cluster\n[::1]\n172.31.19.1:30050\n",
      "f");
  ASSERT_TRUE(servers.ok()) << servers.status();
  EXPECT_EQ(*servers, (std::vector<Address>{{"172.31.19.1", 30050},
                                            {"172.31.29.175", 30050},
                                            {"172.31.23.98", 30051},
                                            {"node-3.cluster", 30050},
                                            {"::1", 30050}}));
}

// A line that is only begun must not become another server.
TEST(ServerFile, RefusesPiecesOfAddresses) {
  for (const char* line : {"172.31.19", "172.31.19.", "50051", "a:", "::1",
                           "::1:80", "[::1", "a b", "a 1 2", "unix:", "a,b"}) {
    const auto servers = ParseServerFile(line, "f");
    ASSERT_FALSE(servers.ok()) << line;
    EXPECT_NE(servers.status().message().find("f:1"), std::string::npos);
    EXPECT_NE(servers.status().message().find("HOST alone"), std::string::npos)
        << servers.status();
  }
}

TEST(ServerFile, NamesTheBadLine) {
  const auto servers = ParseServerFile("a:1\nb two\n", "/x/servers");
  ASSERT_FALSE(servers.ok());
  EXPECT_NE(servers.status().message().find("/x/servers:2"), std::string::npos);
}

TEST(Membership, NeedsAbsenceAndFailedHealthToRemove) {
  Membership members;
  EXPECT_EQ(members.Update({kA, kB}), (std::vector<Address>{kA, kB}));
  EXPECT_FALSE(members.RemoveIfAbsent(kA));  // failed, but listed
  EXPECT_EQ(members.Update({kB, kC}), (std::vector<Address>{kC}));
  EXPECT_TRUE(members.RemoveIfAbsent(kA));  // still a member until it fails
  EXPECT_FALSE(members.RemoveIfAbsent(kA));
  EXPECT_EQ(members.Update({kA}), (std::vector<Address>{kA}));
}

// Lists repeat their members every time they are read.
TEST(Membership, AMemberThatIsListedAgainStaysListed) {
  Membership members;
  members.Update({kA, kB});
  EXPECT_TRUE(members.Update({kA, kB}).empty());
  EXPECT_FALSE(members.RemoveIfAbsent(kA));
  EXPECT_TRUE(members.Update({kB}).empty());  // a is left out once
  EXPECT_TRUE(members.Update({kA, kB}).empty());
  EXPECT_FALSE(members.RemoveIfAbsent(kA));
}

TEST(Backoff, DoublesWithinItsBoundsAndRepeats) {
  const BackoffOptions options{absl::Milliseconds(100), absl::Seconds(1)};
  Backoff one(options, 7), same(options, 7), other(options, 8);
  bool differs = false;
  for (int64_t full : {100, 200, 400, 800, 1000, 1000, 1000}) {
    const absl::Duration delay = one.Next();
    EXPECT_GE(delay, absl::Milliseconds(full) / 2);
    EXPECT_LT(delay, absl::Milliseconds(full));
    EXPECT_EQ(delay, same.Next());
    differs |= delay != other.Next();
  }
  EXPECT_TRUE(differs);
  one.Reset();
  EXPECT_LT(one.Next(), absl::Milliseconds(100));
}

class FakeResolver final : public HostResolver {
 public:
  void Resolve(const Address& name, Done done) override {
    asked.push_back(name);
    done(answer);
  }
  std::vector<Address> asked;
  absl::StatusOr<Resolution> answer = absl::UnavailableError("no such name");
};

class DiscoveryTest : public Test {
 protected:
  void Start(DiscoverySource source) {
    discovery_ =
        std::make_shared<Discovery>(std::move(source), strand_, &resolver_);
    strand_->Post([this] {
      discovery_->Start([this](const ServerListing& listing) {
        listings_.push_back(listing);
      });
    });
  }
  void Run(absl::Duration time) {
    world_.RunUntil([] { return false; }, time);
  }
  void Write(const std::string& text) {
    std::ofstream(path_, std::ios::trunc) << text;
  }

  SimScheduler world_{1};
  std::shared_ptr<Strand> strand_ =
      std::make_shared<Strand>(world_.AddNode("trainer"));
  FakeResolver resolver_;
  std::string path_ = std::string(std::getenv("TEST_TMPDIR")) + "/servers";
  std::shared_ptr<Discovery> discovery_;
  std::vector<ServerListing> listings_;
};

TEST_F(DiscoveryTest, StaticListIsToldOnce) {
  Start(*ParseDiscoverySource("a:1,b:2"));
  Run(absl::Seconds(10));
  ASSERT_EQ(listings_.size(), 1);
  EXPECT_EQ(listings_[0].addresses, (std::vector<Address>{kA, kB}));
}

TEST_F(DiscoveryTest, FileIsReadAgainAndABrokenReadKeepsTheOldList) {
  Write("a:1\n");
  Start(*ParseDiscoverySource("file:" + path_));
  Run(absl::Milliseconds(900));
  ASSERT_EQ(listings_.size(), 1);
  Write("a:1\nb:2\n");
  Run(absl::Milliseconds(201));
  ASSERT_EQ(listings_.size(), 2);
  EXPECT_EQ(listings_[1].addresses, (std::vector<Address>{kA, kB}));
  Write("a:1\nb:\n");
  Run(absl::Milliseconds(201));
  ASSERT_EQ(listings_.size(), 3);
  EXPECT_EQ(listings_[2].addresses, (std::vector<Address>{kA, kB}));
  EXPECT_FALSE(listings_[2].problem.ok());
  Write("b:2\n");
  Run(absl::Milliseconds(201));
  ASSERT_EQ(listings_.size(), 4);
  EXPECT_EQ(listings_[3].addresses, (std::vector<Address>{kB}));
  EXPECT_TRUE(listings_[3].problem.ok());
}

// Counts the look-ups of half an hour under each time to live.
TEST_F(DiscoveryTest, ANameIsAskedAgainWhenItsTimeToLiveEnds) {
  const std::vector<Address> found = {{"10.0.0.1", 9}};
  resolver_.answer = Resolution(found, absl::Seconds(5));
  Start(*ParseDiscoverySource("dns:///fleet:9"));
  Run(absl::Seconds(1));
  for (const auto& [ttl, most] :
       {std::pair(5, 361), std::pair(0, 1801), std::pair(30, 61),
        std::pair(600, 61), std::pair(1, 1801)}) {
    resolver_.answer = Resolution(found, absl::Seconds(ttl));
    Run(absl::Seconds(31));  // the next look-up finds it
    resolver_.asked.clear();
    Run(absl::Minutes(30));
    EXPECT_LE(resolver_.asked.size(), most) << ttl;
    EXPECT_GE(resolver_.asked.size(), most - most / 20 - 2) << ttl;
  }
  EXPECT_EQ(listings_.size(), 1);  // the same addresses every time
}

TEST_F(DiscoveryTest, AFailedLookUpIsRepeatedSoonAndKeepsTheList) {
  resolver_.answer = Resolution({{"10.0.0.1", 9}}, absl::Seconds(30));
  Start(*ParseDiscoverySource("dns:///fleet:9"));
  Run(absl::Seconds(1));
  resolver_.answer = absl::UnavailableError("no such name");
  Run(absl::Seconds(31));
  ASSERT_EQ(listings_.size(), 2);
  EXPECT_FALSE(listings_[1].problem.ok());
  EXPECT_EQ(listings_[1].addresses, listings_[0].addresses);
  resolver_.answer =
      Resolution({{"10.0.0.1", 9}, {"10.0.0.2", 9}}, absl::Seconds(30));
  Run(absl::Milliseconds(1100));  // not half a minute
  ASSERT_EQ(listings_.size(), 3);
  EXPECT_TRUE(listings_[2].problem.ok());
  EXPECT_EQ(listings_[2].addresses.size(), 2);
}

TEST_F(DiscoveryTest, NameIsAskedEverySecondUntilStop) {
  Start(*ParseDiscoverySource("dns:///fleet:9"));
  Run(absl::Milliseconds(500));
  ASSERT_EQ(listings_.size(), 1);
  EXPECT_FALSE(listings_[0].problem.ok());
  resolver_.answer = std::vector<Address>{{"10.0.0.1", 9}};
  Run(absl::Seconds(1));
  ASSERT_EQ(listings_.size(), 2);
  EXPECT_EQ(listings_[1].addresses,
            (std::vector<Address>{Address{"10.0.0.1", 9}}));
  EXPECT_EQ(resolver_.asked[0], (Address{"fleet", 9}));
  strand_->Post([this] { discovery_->Stop(); });
  Run(absl::Milliseconds(10));
  const size_t asked = resolver_.asked.size();
  EXPECT_LE(asked, 3);  // a second apart
  Run(absl::Seconds(5));
  EXPECT_EQ(resolver_.asked.size(), asked);
}

}  // namespace
}  // namespace tributary
