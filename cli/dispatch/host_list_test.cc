#include "cli/dispatch/host_list.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace tributary {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

std::string ErrorOf(const char* text, uint32_t partitions) {
  return std::string(
      ParseHostFile(text, "hosts.txt", partitions).status().message());
}

TEST(HostListTest, HostsWithoutPartitionsGetShares) {
  const auto hosts = ParseHostFile("a # first\n\n b\t\nc", "hosts.txt", 4);
  ASSERT_TRUE(hosts.ok()) << hosts.status();
  ASSERT_EQ(hosts->size(), 3);
  EXPECT_EQ((*hosts)[0].name, "a");
  EXPECT_THAT((*hosts)[0].partitions, ElementsAre(0, 3));
  EXPECT_THAT((*hosts)[1].partitions, ElementsAre(1));
  EXPECT_THAT((*hosts)[2].partitions, ElementsAre(2));
  EXPECT_EQ((*hosts)[0].PartitionsText(), "0,3");
}

TEST(HostListTest, MoreHostsThanPartitionsHoldCopies) {
  const auto hosts = ParseHostFile("a\nb\nc\n", "hosts.txt", 2);
  ASSERT_TRUE(hosts.ok()) << hosts.status();
  EXPECT_THAT((*hosts)[2].partitions, ElementsAre(0));
}

TEST(HostListTest, PartitionsAreThoseOfServe) {
  const auto hosts =
      ParseHostFile("a 2,0,2\nuser@b all\n[fd00::1] 1%2", "hosts.txt", 4);
  ASSERT_TRUE(hosts.ok()) << hosts.status();
  EXPECT_THAT((*hosts)[0].partitions, ElementsAre(0, 2));
  EXPECT_THAT((*hosts)[1].partitions, IsEmpty());
  EXPECT_EQ((*hosts)[1].PartitionsText(), "all");
  EXPECT_THAT((*hosts)[2].partitions, ElementsAre(1, 3));
}

TEST(HostListTest, RefusalsNameTheLine) {
  EXPECT_THAT(ErrorOf("a 0\nb 0\n", 2), HasSubstr("no host gets partition 1"));
  EXPECT_THAT(ErrorOf("a 0\nb 2\n", 2), HasSubstr("hosts.txt, line 2"));
  EXPECT_THAT(ErrorOf("a\na\n", 2), HasSubstr("line 2: a is there twice"));
  EXPECT_THAT(ErrorOf("\na 0 1\n", 2), HasSubstr("line 2: more than two"));
  EXPECT_THAT(ErrorOf("a 0;1\n", 2), HasSubstr("line 1"));
  EXPECT_THAT(ErrorOf("$(id)\n", 1), HasSubstr("is no host's name"));
  EXPECT_THAT(ErrorOf("-oProxyCommand=x\n", 1), HasSubstr("no host's name"));
  EXPECT_THAT(ErrorOf("# none\n", 1), HasSubstr("has 0 hosts"));
}

TEST(HostListTest, IpConfigOfDgl) {
  const auto hosts = ParseIpConfig(
      "172.31.0.1 30050\n172.31.0.2\n172.31.0.1 30051\n", "ip.txt", 2);
  ASSERT_TRUE(hosts.ok()) << hosts.status();
  ASSERT_EQ(hosts->size(), 2);
  EXPECT_EQ((*hosts)[1].name, "172.31.0.2");
  EXPECT_THAT((*hosts)[1].partitions, ElementsAre(1));
  EXPECT_FALSE(ParseIpConfig("unix:/tmp/a\n", "ip.txt", 1).ok());
}

}  // namespace
}  // namespace tributary
