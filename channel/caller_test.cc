#include "channel/caller.h"

#include <gtest/gtest.h>

namespace tributary {
namespace {

std::string HostOf(const std::string& address) {
  return MakeCaller(address)->host();
}

TEST(Caller, AHostHasManyPortsAndANetworkManyAddresses) {
  EXPECT_EQ(HostOf("ipv4:10.0.0.7:41234"), "ipv4:10.0.0.7");
  EXPECT_EQ(HostOf("ipv6:%5B2001:db8:1:2:3:4:5:6%5D:41234"),
            "ipv6:2001:db8:1:2::/64");
  EXPECT_EQ(HostOf("ipv6:[2001:db8:1:2::9]:7"), "ipv6:2001:db8:1:2::/64");
  EXPECT_EQ(HostOf("ipv6:%5Bfe80::1%25eth0%5D:7"), "ipv6:fe80::/64");
  EXPECT_EQ(HostOf("ipv6:%5B::ffff:10.0.0.7%5D:41234"), "ipv4:10.0.0.7");
  EXPECT_EQ(HostOf("ipv6:%5B::1%5D:41234"), "ipv6:%5B::1%5D");
  EXPECT_EQ(HostOf("trainer3"), "trainer3");
}

TEST(Caller, LimitsAreCountedByATrainersJobElseByHost) {
  EXPECT_EQ(MakeCaller("ipv4:10.0.0.7:1", {Role::kTrainer, "a"})->share_key(),
            "trainer/a");
  EXPECT_EQ(MakeCaller("ipv4:10.0.0.7:1", {Role::kSampler, "s"})->share_key(),
            "sampler/s at ipv4:10.0.0.7");
  EXPECT_EQ(MakeCaller("ipv4:10.0.0.7:1", {Role::kOperator, "o"})->share_key(),
            "operator/o at ipv4:10.0.0.7");
  EXPECT_EQ(MakeCaller("ipv4:10.0.0.7:1")->share_key(),
            "anonymous at ipv4:10.0.0.7");
}

}  // namespace
}  // namespace tributary
