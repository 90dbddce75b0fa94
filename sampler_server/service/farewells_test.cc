#include "sampler_server/service/farewells.h"

#include <gtest/gtest.h>

namespace tributary {
namespace {

TEST(Farewells, TheLastOneOfAllIsTold) {
  int gone = 0;
  Farewells farewells(3, [&gone] { ++gone; });
  EXPECT_TRUE(farewells.Record(2, 3).ok());
  EXPECT_TRUE(farewells.Record(0, 3).ok());
  EXPECT_TRUE(farewells.Record(2, 3).ok());  // once more
  farewells.NotifyIfAllGone();
  EXPECT_EQ(gone, 0);
  EXPECT_TRUE(farewells.Record(1, 3).ok());
  EXPECT_EQ(gone, 0);
  farewells.NotifyIfAllGone();
  EXPECT_EQ(gone, 1);
  EXPECT_TRUE(farewells.Record(1, 3).ok());
  farewells.NotifyIfAllGone();
  EXPECT_EQ(gone, 1);
}

TEST(Farewells, OthersThanThoseWaitedForAreRefused) {
  Farewells farewells(2, [] { FAIL(); });
  for (const auto& [rank, of] : {std::pair{2u, 2u}, {0u, 1u}, {0u, 0u}}) {
    const absl::Status status = farewells.Record(rank, of);
    EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
    EXPECT_EQ(status.message(),
              absl::StrCat("client ", rank, " of ", of,
                           " says farewell; this server was started with "
                           "--num-clients 2; allowed: clients 0 to 1 of 2"));
  }
}

TEST(Farewells, NobodyIsWaitedForByDefault) {
  Farewells farewells(0, nullptr);
  EXPECT_TRUE(farewells.Record(7, 9).ok());
  farewells.NotifyIfAllGone();
}

}  // namespace
}  // namespace tributary
