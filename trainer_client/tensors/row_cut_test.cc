#include "trainer_client/tensors/row_cut.h"

#include <map>
#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace tributary {
namespace {

TensorInfo Info(uint64_t num_rows) {
  TensorInfo info{
      .placement = RowPlacement::Create({{"a:1", 1}, {"b:1", 2}}).value(),
      .member_of = {4, 2}};
  info.spec.set_name("t");
  info.spec.set_num_rows(num_rows);
  return info;
}

TEST(RowCutTest, ChecksRows) {
  const TensorInfo info = Info(10);
  EXPECT_TRUE(CheckRows(info, {}).ok());
  EXPECT_TRUE(CheckRows(info, {0, 9, 0}).ok());
  const absl::Status high = CheckRows(info, {0, 10});
  EXPECT_TRUE(absl::IsOutOfRange(high));
  EXPECT_THAT(std::string(high.message()),
              testing::HasSubstr("row 10 at place 1; allowed: 0 to 9"));
  EXPECT_TRUE(absl::IsOutOfRange(CheckRows(info, {-1})));
}

TEST(RowCutTest, EachRowGoesOnceToItsMemberInOrder) {
  const TensorInfo info = Info(100000);
  std::vector<int64_t> rows;
  for (int64_t i = 0; i < 5000; ++i) rows.push_back(i * 7919 % 100000);
  std::vector<int> seen(rows.size(), 0);
  std::map<uint32_t, uint32_t> last;
  for (const MemberPiece& piece : CutByMember(info, rows, 10, 999)) {
    ASSERT_FALSE(piece.positions.empty());
    EXPECT_LE(piece.positions.size(), 99);
    for (const uint32_t position : piece.positions) {
      ++seen[position];
      EXPECT_EQ(piece.member, info.member_of[info.placement.MemberOf(
                                  static_cast<uint64_t>(rows[position]))]);
      const auto [at, first] = last.emplace(piece.member, position);
      if (!first) {
        EXPECT_LT(at->second, position);
        at->second = position;
      }
    }
  }
  EXPECT_EQ(seen, std::vector<int>(rows.size(), 1));
  EXPECT_EQ(last.size(), 2);
  // A row that is larger than a piece is one.
  EXPECT_EQ(CutByMember(info, {5, 5, 5}, 1000, 999).size(), 3);
}

}  // namespace
}  // namespace tributary
