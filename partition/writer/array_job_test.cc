#include "partition/writer/array_job.h"

#include "gtest/gtest.h"

namespace tributary {
namespace {

// The largest of 2^32 ids is 2^32 - 1, the largest number of 32 bits.
TEST(IdType, HasTheBitsOfTheLargestId) {
  constexpr uint64_t kMostNarrow = uint64_t{1} << 32;
  for (const uint64_t ids :
       {uint64_t{0}, uint64_t{1}, kMostNarrow - 1, kMostNarrow}) {
    EXPECT_EQ(IdType(ids), kNpyUint32) << ids;
  }
  for (const uint64_t ids : {kMostNarrow + 1, uint64_t{1} << 62}) {
    EXPECT_EQ(IdType(ids), kNpyUint64) << ids;
  }
}

// 2^32 - 1 edges have positions up to 2^32 - 2, and the largest number of 32
// bits stands for none. Any partition may be the one with the most edges.
TEST(EdgePositionType, IsOfThePartitionWithTheMostEdges) {
  constexpr int64_t kMostNarrow = (int64_t{1} << 32) - 1;
  EXPECT_EQ(EdgePositionType({}), kNpyUint32);
  EXPECT_EQ(EdgePositionType({7, kMostNarrow, 0}), kNpyUint32);
  EXPECT_EQ(EdgePositionType({kMostNarrow + 1, 7, 0}), kNpyUint64);
  EXPECT_EQ(EdgePositionType({7, kMostNarrow + 1, 0}), kNpyUint64);
  EXPECT_EQ(EdgePositionType({0, 7, kMostNarrow + 1}), kNpyUint64);
}

}  // namespace
}  // namespace tributary
