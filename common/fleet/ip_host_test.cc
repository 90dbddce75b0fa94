#include "common/fleet/ip_host.h"

#include <arpa/inet.h>
#include <gtest/gtest.h>

#include <string>

namespace tributary {
namespace {

std::string HostOf(const char* text) {
  in6_addr address{};
  EXPECT_EQ(inet_pton(AF_INET6, text, &address), 1) << text;
  return HostOfIpv6(address);
}

TEST(IpHostTest, Ipv6CountsByNetwork) {
  EXPECT_EQ(HostOf("2001:db8:1:2::9"), "2001:db8:1:2::/64");
  EXPECT_EQ(HostOf("2001:db8:1:2:ffff:ffff:ffff:ffff"), "2001:db8:1:2::/64");
  EXPECT_EQ(HostOf("2001:db8:1:3::9"), "2001:db8:1:3::/64");
  EXPECT_EQ(HostOf("fe80::1"), "fe80::/64");
  EXPECT_EQ(HostOf("::2"), "::/64");
}

TEST(IpHostTest, LoopbackAndIpv4AreHosts) {
  EXPECT_EQ(HostOf("::1"), "::1");
  EXPECT_EQ(HostOf("::ffff:10.0.0.7"), "10.0.0.7");
  in_addr address{htonl(0x0a000008)};
  EXPECT_EQ(HostOfIpv4(address), "10.0.0.8");
}

}  // namespace
}  // namespace tributary
