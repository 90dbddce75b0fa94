// The system's resolver and a small name server on loopback.
#include "common/fleet/host_resolver.h"

#include <gtest/gtest.h>

#include <chrono>
#include <cstdlib>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "common/fleet/testing/dns_server.h"
#include "common/runtime/clock.h"
#include "common/runtime/promised.h"

namespace tributary {
namespace {

using Kind = DnsReply::Kind;
using Found = absl::StatusOr<Resolution>;

constexpr absl::Duration kLong = absl::Seconds(30);

Found Resolve(SystemHostResolver& resolver, const std::string& host) {
  auto found = std::make_shared<Promised<Found>>();
  resolver.Resolve({host, 77},
                   [found](Found result) { found->Set(std::move(result)); });
  return found->Wait(kLong).value_or(absl::DeadlineExceededError("no call"));
}

// A resolver that asks a server which follows `script`.
class ResolverOf {
 public:
  explicit ResolverOf(DnsServer::Script script,
                      absl::Duration timeout = absl::Seconds(10))
      : server_(std::move(script)), resolver_({timeout, server_.address()}) {}

  Found operator()(const std::string& host) { return Resolve(resolver_, host); }
  std::vector<DnsQuestion> asked() const { return server_.asked(); }

 private:
  DnsServer server_;
  SystemHostResolver resolver_;
};

DnsServer::Script Always(Kind kind) {
  return [kind](const DnsQuestion&) { return DnsReply{kind, {}, 0}; };
}

std::vector<std::string> Hosts(const Found& found) {
  std::vector<std::string> hosts;
  if (!found.ok()) return {found.status().ToString()};
  for (const Address& address : found->addresses) {
    EXPECT_EQ(address.port, 77);
    hosts.push_back(address.host);
  }
  return hosts;
}

TEST(SystemHostResolverTest, IpAddressesNeedNoServer) {
  ResolverOf resolve(Always(Kind::kSilence));
  for (const char* host : {"127.0.0.1", "::1", "10.20.30.40"}) {
    EXPECT_EQ(Hosts(resolve(host)), std::vector<std::string>{host});
  }
  EXPECT_EQ(Hosts(resolve("127.1")), std::vector<std::string>{"127.0.0.1"});
  EXPECT_TRUE(resolve.asked().empty());
}

// This machine's /etc/hosts, as every one has it.
TEST(SystemHostResolverTest, HostsFileComesFirst) {
  ResolverOf resolve(Always(Kind::kSilence));
  const Found found = resolve("localhost");
  ASSERT_TRUE(found.ok()) << found.status();
  EXPECT_EQ(found->addresses[0].host, "127.0.0.1");
  EXPECT_EQ(found->ttl, absl::ZeroDuration());
  EXPECT_TRUE(resolve.asked().empty());
}

TEST(SystemHostResolverTest, BothFamiliesAndTheShortestTimeToLive) {
  ResolverOf resolve([](const DnsQuestion& question) -> DnsReply {
    if (question.type == DnsServer::kAaaa) {
      return {Kind::kRecords, {"fd00::7"}, 9};
    }
    return {Kind::kRecords, {"10.0.0.2", "10.0.0.1"}, 30};
  });
  const Found found = resolve("fleet.test.");
  EXPECT_EQ(Hosts(found),
            (std::vector<std::string>{"10.0.0.1", "10.0.0.2", "fd00::7"}));
  EXPECT_EQ(found->ttl, absl::Seconds(9));
  EXPECT_EQ(resolve.asked().size(), 2);
}

TEST(SystemHostResolverTest, OneFamilyIsEnough) {
  ResolverOf resolve([](const DnsQuestion& question) -> DnsReply {
    if (question.type == DnsServer::kAaaa) return {Kind::kRecords, {}, 0};
    return {Kind::kRecords, {"10.0.0.1"}, 5};
  });
  const Found found = resolve("fleet.test.");
  EXPECT_EQ(Hosts(found), std::vector<std::string>{"10.0.0.1"});
  EXPECT_EQ(found->ttl, absl::Seconds(5));
}

// The pods of a large fleet: an answer of 8 kB comes over TCP.
TEST(SystemHostResolverTest, AnswersThatAreTooLongForUdp) {
  ResolverOf resolve([](const DnsQuestion& question) -> DnsReply {
    DnsReply reply;
    if (question.type == DnsServer::kAaaa) return reply;
    for (int i = 0; i < 500; ++i) {
      reply.addresses.push_back(absl::StrCat("10.0.", i / 250, ".", i % 250));
    }
    return reply;
  });
  const Found found = resolve("fleet.test.");
  ASSERT_TRUE(found.ok()) << found.status();
  EXPECT_EQ(found->addresses.size(), 500);
  EXPECT_EQ(found->ttl, absl::Seconds(5));
  bool over_tcp = false;
  for (const DnsQuestion& question : resolve.asked()) {
    over_tcp |= question.over_tcp;
  }
  EXPECT_TRUE(over_tcp);
}

TEST(SystemHostResolverTest, NamesThatAreNot) {
  for (const Kind kind : {Kind::kNoName, Kind::kRecords}) {
    ResolverOf resolve(Always(kind));
    const Found found = resolve("no.such.name.");
    EXPECT_EQ(found.status(),
              absl::UnavailableError("cannot resolve no.such.name.: Name or "
                                     "service not known"));
  }
}

TEST(SystemHostResolverTest, AServerThatFails) {
  ResolverOf resolve(Always(Kind::kFailure));
  const Found found = resolve("fleet.test.");
  EXPECT_EQ(found.status().code(), absl::StatusCode::kUnavailable);
  EXPECT_TRUE(absl::StrContains(found.status().message(),
                                "cannot resolve fleet.test.: "))
      << found.status();
}

TEST(SystemHostResolverTest, GarbageIsNoAnswer) {
  ResolverOf resolve(Always(Kind::kGarbage), absl::Seconds(1));
  const Found found = resolve("fleet.test.");
  EXPECT_EQ(found.status().code(), absl::StatusCode::kUnavailable);
}

TEST(SystemHostResolverTest, SilenceEndsInTime) {
  ResolverOf resolve(Always(Kind::kSilence), absl::Milliseconds(300));
  const absl::Time start = SteadyClock().Now();
  const Found found = resolve("fleet.test.");
  EXPECT_EQ(found.status(),
            absl::UnavailableError("cannot resolve fleet.test.: no name server "
                                   "answers within 300ms"));
  EXPECT_GE(SteadyClock().Now() - start, absl::Milliseconds(300));
  EXPECT_LT(SteadyClock().Now() - start, absl::Seconds(10));
}

TEST(SystemHostResolverTest, TheNextNameIsNotHeldUpForEver) {
  ResolverOf resolve(
      [](const DnsQuestion& question) -> DnsReply {
        if (question.name == "silent.test") return {Kind::kSilence, {}, 0};
        return {Kind::kRecords, {"10.0.0.1"}, 5};
      },
      absl::Milliseconds(200));
  EXPECT_FALSE(resolve("silent.test.").ok());
  EXPECT_TRUE(resolve("fleet.test.").ok());
}

TEST(SystemHostResolverTest, TheDestructorCancelsWithoutACall) {
  Mutex mutex;
  int calls = 0;
  auto asked = std::make_shared<Promised<bool>>();
  bool first = true;
  const DnsServer server([&](const DnsQuestion&) -> DnsReply {
    if (std::exchange(first, false)) asked->Set(true);
    return {Kind::kSilence, {}, 0};
  });
  absl::Time start;
  {
    SystemHostResolver resolver({kLong, server.address()});
    for (int i = 0; i < 3; ++i) {
      resolver.Resolve({"fleet.test.", 1}, [&](Found) {
        MutexLock lock(mutex);
        ++calls;
      });
    }
    ASSERT_TRUE(asked->Wait(kLong).has_value());
    start = SteadyClock().Now();
  }
  EXPECT_LT(SteadyClock().Now() - start, absl::Seconds(5));
  MutexLock lock(mutex);
  EXPECT_EQ(calls, 0);
}

TEST(SystemHostResolverTest, RefusesMoreThanItQueues) {
  const DnsServer server(Always(Kind::kSilence));
  std::optional<absl::Status> refused;
  SystemHostResolver resolver({kLong, server.address()});
  for (int i = 0; i < 66 && !refused; ++i) {
    resolver.Resolve({"fleet.test.", 1},
                     [&](Found found) { refused = found.status(); });
  }
  ASSERT_TRUE(refused.has_value());
  EXPECT_EQ(refused->code(), absl::StatusCode::kResourceExhausted);
}

// As Kubernetes writes it into a pod's /etc/resolv.conf, here by the variables
// that stand for its lines.
class SearchTest : public ::testing::Test {
 protected:
  SearchTest() {
    setenv("LOCALDOMAIN", "ns.svc.cluster.local svc.cluster.local", 1);
    setenv("RES_OPTIONS", "ndots:5", 1);
  }
  ~SearchTest() override {
    unsetenv("LOCALDOMAIN");
    unsetenv("RES_OPTIONS");
  }
};

DnsReply OnlyPods(const DnsQuestion& question) {
  if (question.name != "fleet.ns.svc.cluster.local") {
    return {Kind::kNoName, {}, 0};
  }
  if (question.type == DnsServer::kAaaa) return {Kind::kRecords, {}, 0};
  return {Kind::kRecords, {"10.0.0.1"}, 5};
}

TEST_F(SearchTest, ShortNamesAreSearchedFor) {
  ResolverOf resolve(OnlyPods);
  EXPECT_EQ(Hosts(resolve("fleet")), std::vector<std::string>{"10.0.0.1"});
  EXPECT_EQ(Hosts(resolve("fleet.ns")), std::vector<std::string>{"10.0.0.1"});
}

TEST_F(SearchTest, NamesWithDotsAreSearchedForFirst) {
  ResolverOf resolve(OnlyPods);
  // Four dots are fewer than ndots.
  EXPECT_EQ(Hosts(resolve("fleet.ns.svc.cluster.local")),
            std::vector<std::string>{"10.0.0.1"});
  EXPECT_EQ(resolve.asked()[0].name,
            "fleet.ns.svc.cluster.local.ns.svc.cluster.local");
}

}  // namespace
}  // namespace tributary
