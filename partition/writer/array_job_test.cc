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

}  // namespace
}  // namespace tributary
