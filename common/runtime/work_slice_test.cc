#include "common/runtime/work_slice.h"

#include <gtest/gtest.h>

namespace tributary {
namespace {

TEST(WorkSliceTest, ItemsFitAsLongAsWorkIsLeftAndAlwaysOne) {
  WorkSlice slice(1000);
  EXPECT_EQ(slice.Fitting(50, 10), 50u);
  EXPECT_EQ(slice.Fitting(500, 10), 100u);
  EXPECT_EQ(slice.Fitting(500, 5000), 1u);
  slice.Spend(995);
  EXPECT_FALSE(slice.used_up());
  EXPECT_EQ(slice.Fitting(500, 10), 1u);
  slice.Spend(10);
  EXPECT_TRUE(slice.used_up());
  EXPECT_EQ(slice.Fitting(500, 10), 1u);
  EXPECT_EQ(slice.spent(), 1005u);
  WorkSlice all = WorkSlice::Unlimited();
  EXPECT_EQ(all.Fitting(1 << 30, 1 << 30), 1u << 30);
  all.Spend(uint64_t{1} << 40);
  EXPECT_FALSE(all.used_up());
}

}  // namespace
}  // namespace tributary
