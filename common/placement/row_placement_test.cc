#include "common/placement/row_placement.h"

#include <set>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace tributary {
namespace {

std::vector<RowMember> Servers(int n) {
  std::vector<RowMember> members;
  for (int i = 0; i < n; ++i) {
    members.push_back({absl::StrCat("10.0.0.", i, ":50051"), uint64_t(i) + 7});
  }
  return members;
}

RowPlacement Placed(std::vector<RowMember> members) {
  auto placement = RowPlacement::Create(std::move(members));
  EXPECT_TRUE(placement.ok()) << placement.status();
  return *std::move(placement);
}

TEST(RowPlacementTest, EveryRowHasOnePlaceOfOneMember) {
  for (const int n : {1, 2, 3, 16}) {
    const RowPlacement placement = Placed(Servers(n));
    for (const uint64_t rows : {1, 63, 64, 65, 65536, 65537, 200001}) {
      std::vector<std::set<uint64_t>> used(n);
      for (uint64_t row = 0; row < rows; ++row) {
        const uint32_t member = placement.MemberOf(row);
        const uint64_t local = placement.LocalRow(row);
        ASSERT_LT(local, placement.LocalRows(member, rows)) << row;
        ASSERT_EQ(placement.RowAt(member, local), row);
        ASSERT_TRUE(used[member].insert(local).second) << row;
      }
      for (int m = 0; m < n; ++m) {
        EXPECT_LE(placement.LocalRows(m, rows), used[m].size() + 63);
      }
    }
  }
}

TEST(RowPlacementTest, TheOrderOfTheListChangesNothing) {
  std::vector<RowMember> reversed = Servers(5);
  std::reverse(reversed.begin(), reversed.end());
  const RowPlacement a = Placed(Servers(5)), b = Placed(reversed);
  EXPECT_EQ(a.members(), b.members());
  for (uint64_t row = 0; row < 70000; row += 64) {
    ASSERT_EQ(a.MemberOf(row), b.MemberOf(row));
  }
}

TEST(RowPlacementTest, OnlyTheRowsOfAServerThatLeavesMove) {
  const RowPlacement five = Placed(Servers(5)), four = Placed(Servers(4));
  for (uint64_t row = 0; row < 65536; row += 64) {
    const std::string& before = five.members()[five.MemberOf(row)].address;
    const std::string& after = four.members()[four.MemberOf(row)].address;
    if (before != "10.0.0.4:50051") {
      ASSERT_EQ(after, before);
    }
  }
}

TEST(RowPlacementTest, RowsSpreadEvenly) {
  const RowPlacement placement = Placed(Servers(4));
  std::vector<int> blocks(4);
  for (uint64_t row = 0; row < 65536; row += 64) {
    ++blocks[placement.MemberOf(row)];
  }
  // 1024 shards with p = 1/4: a standard deviation of 14.
  for (const int n : blocks) EXPECT_NEAR(n, 256, 56);
}

TEST(RowPlacementTest, RefusesNoMembersAndOneTwice) {
  EXPECT_EQ(RowPlacement::Create({}).status().code(),
            absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(RowPlacement::Create({{"a:1", 1}, {"b:1", 2}, {"a:1", 3}})
                  .status()
                  .message(),
              testing::HasSubstr("a:1 is listed twice"));
}

}  // namespace
}  // namespace tributary
