#include "common/fleet/address.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace tributary {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

TEST(AddressTest, ReadsHostAndPort) {
  auto address = ParseAddress("sampler-0.samplers:50051");
  ASSERT_TRUE(address.ok()) << address.status();
  EXPECT_EQ(address->host, "sampler-0.samplers");
  EXPECT_EQ(address->port, 50051);
  EXPECT_EQ(address->ToString(), "sampler-0.samplers:50051");
}

TEST(AddressTest, ReadsIpv6InBrackets) {
  auto address = ParseAddress("[::1]:80");
  ASSERT_TRUE(address.ok()) << address.status();
  EXPECT_EQ(address->host, "::1");
  EXPECT_EQ(address->port, 80);
  EXPECT_EQ(address->ToString(), "[::1]:80");
  EXPECT_TRUE(ParseAddress("[fe80::1%eth0]:80").ok());
  EXPECT_TRUE(ParseAddress("[::ffff:10.0.0.1]:80").ok());
  for (const char* text : {"[10.0.0.1:7]:80", "[::1::2]:80", "[g::1]:80",
                           "[12345::]:80", "[fe80::1%]:80", "[%eth0]:80"}) {
    EXPECT_THAT(std::string(ParseAddress(text).status().message()),
                HasSubstr("no IPv6 address"))
        << text;
  }
  EXPECT_FALSE(ParseAddress(std::string("[::1\0]:80", 9)).ok());
}

TEST(AddressTest, ReadsASocketsPath) {
  auto address = ParseAddress("unix:/run/tributary.0:1");
  ASSERT_TRUE(address.ok()) << address.status();
  EXPECT_TRUE(address->is_unix());
  EXPECT_EQ(address->port, 0);
  EXPECT_EQ(address->ToString(), "unix:/run/tributary.0:1");
  EXPECT_FALSE(ParseAddress("unix:80").ok());
  EXPECT_FALSE(ParseAddress("unix:/" + std::string(100, 'a')).ok());
  EXPECT_TRUE(ParseAddress("unix:/" + std::string(99, 'a')).ok());
}

TEST(AddressTest, RefusesWithTheText) {
  for (const char* text :
       {"",        ":",         "host",           "host:",
        ":80",     "host:0",    "host:65536",     "host:99999999",
        "host:+1", "host:8o",   "ho st:80",       "::1:80",
        "[]:80",   "[host]:80", "http://host:80", "host:80 ",
        "unix:",   "unix:/",    "unix:run/a",     "unix:/a b"}) {
    auto address = ParseAddress(text);
    EXPECT_EQ(address.status().code(), absl::StatusCode::kInvalidArgument)
        << text;
    EXPECT_THAT(std::string(address.status().message()), HasSubstr(text));
  }
}

TEST(AddressTest, PortZeroIsOnlyToListenOn) {
  EXPECT_FALSE(ParseAddress("127.0.0.1:0").ok());
  auto address = ParseAddress("127.0.0.1:0", /*allow_port_zero=*/true);
  ASSERT_TRUE(address.ok()) << address.status();
  EXPECT_EQ(address->port, 0);
}

TEST(AddressTest, LoopbackIsNoMatterOfHowANameBegins) {
  for (const char* host :
       {"localhost", "::1", "127.0.0.1", "127.1.2.3", "unix:/run/a"}) {
    EXPECT_TRUE(IsLoopback(host)) << host;
  }
  for (const char* host : {"", "0.0.0.0", "::", "10.127.0.1", "127.example.org",
                           "localhost.example.org", "1270.0.0.1"}) {
    EXPECT_FALSE(IsLoopback(host)) << host;
  }
}

TEST(AddressTest, ReadsALine) {
  auto list = ParseAddressList("a:1,b:2,[::2]:3");
  ASSERT_TRUE(list.ok()) << list.status();
  EXPECT_THAT(*list,
              ElementsAre(Address{"a", 1}, Address{"b", 2}, Address{"::2", 3}));
}

TEST(AddressTest, RefusesDoublesAndHolesInALine) {
  EXPECT_THAT(std::string(ParseAddressList("a:1,b:2,a:1").status().message()),
              HasSubstr("a:1 is listed twice"));
  EXPECT_FALSE(ParseAddressList("").ok());
  EXPECT_FALSE(ParseAddressList("a:1,").ok());
}

}  // namespace
}  // namespace tributary
