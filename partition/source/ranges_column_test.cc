#include "partition/source/ranges_column.h"

#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "partition/source/testing/memory_column.h"

namespace tributary {
namespace {

using testing::ElementsAre;

std::vector<int64_t> ReadIds(const Column& column, int64_t begin,
                             int64_t count) {
  std::vector<int64_t> ids(static_cast<size_t>(count));
  EXPECT_TRUE(
      column.Read(begin, count, reinterpret_cast<uint8_t*>(ids.data())).ok());
  return ids;
}

TEST(RangesColumn, ReadsAcrossRangesAndSkipsEmptyOnes) {
  const ColumnPtr base = MakeColumn<int64_t>({10, 11, 12, 13, 14, 15});
  const RangesColumn column(base, {{4, 2}, {3, 0}, {0, 1}, {1, 3}});
  ASSERT_EQ(column.num_rows(), 6);
  EXPECT_THAT(ReadIds(column, 0, 6), ElementsAre(14, 15, 10, 11, 12, 13));
  EXPECT_THAT(ReadIds(column, 1, 3), ElementsAre(15, 10, 11));
  EXPECT_THAT(ReadIds(column, 6, 0), ElementsAre());
  EXPECT_EQ(column.Where(2), base->Where(0));
}

TEST(RangesColumn, MayHaveNoRows) {
  const RangesColumn column(MakeColumn<int64_t>({1}), {});
  EXPECT_EQ(column.num_rows(), 0);
}

}  // namespace
}  // namespace tributary
