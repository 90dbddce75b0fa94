#include "channel/net/connection_ages.h"

#include <gtest/gtest.h>

#include <set>
#include <string>

namespace tributary {
namespace {

constexpr absl::Time kStart = absl::FromUnixSeconds(1'000'000);

ConnectionAgeLimits Limits() {
  return {.age = absl::Minutes(60), .grace = absl::Minutes(5)};
}

TEST(ConnectionAges, AllStreamsOfAConnectionEndTogether) {
  ConnectionAges ages(Limits());
  const absl::Time end = ages.EndOf("ipv4:10.0.0.1:5", kStart);
  EXPECT_EQ(ages.EndOf("ipv4:10.0.0.1:5", kStart + absl::Minutes(59)), end);
  // Between gRPC's two steps, whatever its jitter is.
  EXPECT_GT(end, kStart + Limits().notice_age() * 1.1);
  EXPECT_LT(end, kStart + Limits().notice_age() * 0.9 + Limits().cut_grace() -
                     absl::Minutes(1) * 0.9);
}

TEST(ConnectionAges, ConnectionsEndAtDifferentTimes) {
  ConnectionAges ages(Limits());
  std::set<absl::Time> ends;
  for (int i = 0; i < 20; ++i) {
    ends.insert(ages.EndOf("peer:" + std::to_string(i), kStart));
  }
  EXPECT_EQ(ends.size(), 20);
  EXPECT_GT(*ends.rbegin() - *ends.begin(), absl::Minutes(1));
}

TEST(ConnectionAges, APortThatIsUsedAgainIsANewConnection) {
  ConnectionAges ages(Limits());
  const absl::Time end = ages.EndOf("peer:1", kStart);
  EXPECT_GT(ages.EndOf("peer:1", end), end + absl::Minutes(59));
}

TEST(ConnectionAges, ForgetTheOldestBeyondTheLimit) {
  ConnectionAges ages(Limits());
  const absl::Time end = ages.EndOf("oldest", kStart);
  for (size_t i = 0; i < ConnectionAges::kMaxConnections; ++i) {
    ages.EndOf("peer:" + std::to_string(i), kStart);
  }
  EXPECT_NE(ages.EndOf("oldest", kStart), end);
}

}  // namespace
}  // namespace tributary
