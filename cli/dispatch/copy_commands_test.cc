#include "cli/dispatch/copy_commands.h"

#include <gtest/gtest.h>

namespace tributary {
namespace {

constexpr char kSsh[] =
    "ssh -o IdentityFile=/k -o BatchMode=yes -o ConnectTimeout=20 -o "
    "ServerAliveInterval=15 -p 2222 -l ada";

CopyRoute Route(bool use_scp) {
  return {use_scp, 2222, "ada", {"IdentityFile=/k"}, "/opt/tributary"};
}

std::string With(const char* before, const char* after) {
  return std::string(before) + kSsh + after;
}

TEST(CopyCommandsTest, Rsync) {
  constexpr char kBegin[] = "rsync -a --partial --mkpath --timeout=300 -e '";
  EXPECT_EQ(CopyCommandOf(Route(false)),
            With(kBegin, "' --files-from={list} {graph}/ {host}:{to}/"));
  EXPECT_EQ(SendCommandOf(Route(false), "my {x}", "/w"),
            With(kBegin, "' 'my {{x}' {host}:/w/"));
}

TEST(CopyCommandsTest, Scp) {
  constexpr char kScp[] =
      "scp -qr -o IdentityFile=/k -o BatchMode=yes -o ConnectTimeout=20 -o "
      "ServerAliveInterval=15 -P 2222 -o User=ada ";
  EXPECT_EQ(CopyCommandOf(Route(true)), With("", " {host} mkdir -p {to} && ") +
                                            kScp + "{folder}/. {host}:{to}/");
  EXPECT_EQ(SendCommandOf(Route(true), "code", "/w"),
            With("", " {host} mkdir -p /w && ") + kScp + "code {host}:/w/");
}

TEST(CopyCommandsTest, VerificationIsTheHosts) {
  EXPECT_EQ(VerifyCommandOf(Route(true)),
            With("",
                 " {host} /opt/tributary verify {to} --partitions "
                 "{partitions} --layout-digest {digest} --hot-digest "
                 "{hot} --hot-lists {lists}"));
}

TEST(CopyCommandsTest, WordsThatAShellWouldReadAreRefused) {
  EXPECT_TRUE(CheckRoute(Route(false)).ok());
  for (const char* word : {"a b", "$(id)", "x;y", "-oA=b", "'"}) {
    CopyRoute route;
    route.options = {word};
    EXPECT_FALSE(CheckRoute(route).ok()) << word;
    route = CopyRoute();
    route.user = word;
    EXPECT_FALSE(CheckRoute(route).ok()) << word;
    route = CopyRoute();
    route.remote_program = word;
    EXPECT_FALSE(CheckRoute(route).ok()) << word;
  }
}

}  // namespace
}  // namespace tributary
