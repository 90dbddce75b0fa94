#include "trainer_client/torch/observe/rank_address.h"

#include <gtest/gtest.h>

#include <string>

namespace tributary {
namespace {

std::string AddressOf(const std::string& http, int local_rank) {
  const auto address = RankHttpAddress(http, local_rank);
  return address.ok() ? address->ToString()
                      : std::string(address.status().message());
}

TEST(RankHttpAddressTest, EachRankOfAMachineHasAPortOfItsOwn) {
  EXPECT_EQ(AddressOf("0.0.0.0:9100", 0), "0.0.0.0:9100");
  EXPECT_EQ(AddressOf("0.0.0.0:9100", 3), "0.0.0.0:9103");
  EXPECT_EQ(AddressOf("[::1]:9100", 1), "[::1]:9101");
}

TEST(RankHttpAddressTest, PortZeroIsAnyPort) {
  EXPECT_EQ(AddressOf("127.0.0.1:0", 3), "127.0.0.1:0");
}

TEST(RankHttpAddressTest, RefusesWhatIsNoPort) {
  EXPECT_EQ(AddressOf("127.0.0.1:65534", 1), "127.0.0.1:65535");
  EXPECT_EQ(AddressOf("127.0.0.1:65534", 2),
            "--http is 127.0.0.1:65534, so local rank 2 would listen at port "
            "65536; allowed: ports up to 65535, or port 0");
  EXPECT_EQ(AddressOf("9100", 0), "--http is 9100; allowed: HOST:PORT");
  EXPECT_EQ(AddressOf("unix:/tmp/s", 0),
            "--http is unix:/tmp/s; allowed: HOST:PORT");
}

}  // namespace
}  // namespace tributary
