#include "common/session/link_lists.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace tributary {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

// Numbers 0 to 2, 3 and 4, 5 to 8.
LinkLists Lists() { return LinkLists(std::vector<uint64_t>{3, 2, 4}); }

TEST(LinkLists, ANumberTellsItsList) {
  const LinkLists lists = Lists();
  EXPECT_EQ(lists.ListOf(0), 0u);
  EXPECT_EQ(lists.ListOf(2), 0u);
  EXPECT_EQ(lists.ListOf(3), 1u);
  EXPECT_EQ(lists.ListOf(5), 2u);
  EXPECT_EQ(lists.ListOf(8), 2u);
  EXPECT_EQ(lists.ListOf(9), 3u);
  EXPECT_EQ(lists.first(0), 0u);
  EXPECT_EQ(lists.first(2), 5u);
}

TEST(LinkLists, ABatchHoldsListByListAsTheyCame) {
  std::vector<uint64_t> numbers = {8, 1, 4, 0, 5, 3, 2};
  Lists().Group(&numbers);
  EXPECT_THAT(numbers, ElementsAre(1, 0, 2, 4, 3, 8, 5));
  std::vector<uint64_t> one = {2, 0, 1};
  LinkLists(std::vector<uint64_t>{3}).Group(&one);
  EXPECT_THAT(one, ElementsAre(2, 0, 1));
}

TEST(LinkLists, WhereEachEnds) {
  const LinkLists lists = Lists();
  const auto ends = [&](std::vector<int64_t> numbers) {
    return lists.Ends(numbers).value();
  };
  EXPECT_THAT(ends({1, 0, 4, 8, 5}), ElementsAre(2, 3, 5));
  EXPECT_THAT(ends({8, 5}), ElementsAre(0, 0, 2));
  EXPECT_THAT(ends({3}), ElementsAre(0, 1, 1));
  EXPECT_THAT(ends({2}), ElementsAre(1, 1, 1));
}

// A client may lie.
TEST(LinkLists, WhatIsNotListByListIsRefused) {
  const LinkLists lists = Lists();
  for (const std::vector<int64_t>& wrong :
       {std::vector<int64_t>{4, 1}, {0, 8, 3}, {9}, {-1}, {0, 3, 0}}) {
    const absl::Status status = lists.Ends(wrong).status();
    EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
    EXPECT_THAT(std::string(status.message()), HasSubstr("of 9, not of an"));
  }
}

}  // namespace
}  // namespace tributary
