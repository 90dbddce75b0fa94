#include "common/status/partition_runs.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace tributary {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

TEST(PartitionRunsTest, JoinsConsecutiveNumbers) {
  EXPECT_THAT(RunsOf({}), IsEmpty());
  EXPECT_THAT(RunsOf({3}), ElementsAre(PartitionSpan{3, 3}));
  EXPECT_THAT(RunsOf({0, 1, 2, 5, 7, 8}),
              ElementsAre(PartitionSpan{0, 2}, PartitionSpan{5, 5},
                          PartitionSpan{7, 8}));
}

TEST(PartitionRunsTest, IsBriefText) {
  EXPECT_EQ(RunsText({}, 8), "");
  EXPECT_EQ(RunsText(RunsOf({0, 1, 2, 17}), 8), "0-2, 17");
  EXPECT_EQ(RunsText(RunsOf({0, 2, 4, 5, 6}), 2), "0, 2 and 3 more");
}

}  // namespace
}  // namespace tributary
