#include "partition/writer/placement.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace tributary {
namespace {

using ::testing::ElementsAre;

TEST(Placement, InternalIdsAscendByPartitionThenByOriginalId) {
  const auto placement = Placement::Make({1, 0, 1, 2, 0}, 4);
  ASSERT_TRUE(placement.ok()) << placement.status();
  EXPECT_THAT(placement->base(), ElementsAre(0, 2, 4, 5, 5));
  const int64_t internal[] = {2, 0, 3, 4, 1};
  for (int64_t v = 0; v < 5; ++v) {
    EXPECT_EQ(placement->internal(v), internal[v]) << v;
  }
  EXPECT_THAT(placement->original_ids(0), ElementsAre(1, 4));
  EXPECT_THAT(placement->original_ids(1), ElementsAre(0, 2));
  EXPECT_THAT(placement->original_ids(2), ElementsAre(3));
  EXPECT_THAT(placement->original_ids(3), ElementsAre());
}

// The number of the last of 65536 partitions has all its 16 bits.
TEST(Placement, TakesAsManyPartitionsAsANumberOfTwoBytesNames) {
  for (const uint32_t partitions : {1u, 256u, 257u, 65535u, 65536u}) {
    const auto last = static_cast<uint16_t>(partitions - 1);
    const auto placement = Placement::Make({last, 0, last}, partitions);
    ASSERT_TRUE(placement.ok()) << placement.status();
    ASSERT_EQ(placement->base().size(), partitions + 1);
    EXPECT_EQ(placement->base().back(), 3);
    EXPECT_EQ(placement->original_ids(last).back(), 2) << partitions;
    EXPECT_EQ(placement->original_ids(last).size(), partitions == 1 ? 3 : 2);
  }
  for (const uint32_t partitions : {0u, 65537u, UINT32_MAX}) {
    EXPECT_EQ(Placement::Make({0}, partitions).status().code(),
              absl::StatusCode::kInvalidArgument)
        << partitions;
  }
}

TEST(Placement, RefusesAPartitionThatIsNotThere) {
  EXPECT_EQ(Placement::Make({0, 2}, 2).status().code(),
            absl::StatusCode::kInvalidArgument);
}

}  // namespace
}  // namespace tributary
