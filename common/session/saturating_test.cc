#include "common/session/saturating.h"

#include <gtest/gtest.h>

namespace tributary {
namespace {

TEST(Saturating, StopsAtTheLargestValue) {
  EXPECT_EQ(SaturatingAdd(2, 3), 5u);
  EXPECT_EQ(SaturatingAdd(UINT64_MAX - 1, 1), UINT64_MAX);
  EXPECT_EQ(SaturatingAdd(UINT64_MAX - 1, 2), UINT64_MAX);
  EXPECT_EQ(SaturatingAdd(7, UINT64_MAX), UINT64_MAX);
  EXPECT_EQ(SaturatingMultiply(6, 7), 42u);
  EXPECT_EQ(SaturatingMultiply(UINT64_MAX, 0), 0u);
  EXPECT_EQ(SaturatingMultiply(0, UINT64_MAX), 0u);
  EXPECT_EQ(SaturatingMultiply(uint64_t{1} << 32, (uint64_t{1} << 32) - 1),
            UINT64_MAX - (uint64_t{1} << 32) + 1);
  EXPECT_EQ(SaturatingMultiply(uint64_t{1} << 32, uint64_t{1} << 32),
            UINT64_MAX);
}

}  // namespace
}  // namespace tributary
