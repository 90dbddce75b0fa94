#include "partition/schema/partition_choice.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "absl/strings/str_cat.h"

namespace tributary {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

std::vector<uint32_t> Chosen(std::string_view text, uint32_t partitions) {
  const auto choice = PartitionChoice::Parse(text);
  EXPECT_TRUE(choice.ok()) << choice.status();
  return choice.ok() ? choice->Of(partitions) : std::vector<uint32_t>{};
}

TEST(PartitionChoiceTest, NumbersAreTakenAsTheyAre) {
  EXPECT_THAT(Chosen("0,2", 4), ElementsAre(0, 2));
  EXPECT_THAT(Chosen("7", 4), ElementsAre(7));
  EXPECT_THAT(Chosen("all", 4), IsEmpty());
  EXPECT_THAT(Chosen("*", 4), IsEmpty());
}

TEST(PartitionChoiceTest, AShareFollowsTheNumberOfPartitions) {
  EXPECT_THAT(Chosen("1%4", 4), ElementsAre(1));
  EXPECT_THAT(Chosen("1%4", 10), ElementsAre(1, 5, 9));
  EXPECT_THAT(Chosen("3%4", 2), ElementsAre(1));
  EXPECT_THAT(Chosen("2%4", 2), ElementsAre(0));
  EXPECT_THAT(Chosen("3%4", 1), ElementsAre(0));
}

TEST(PartitionChoiceTest, AllSharesHoldEveryPartitionAndNoneIsEmpty) {
  for (uint32_t of = 1; of <= 9; ++of) {
    for (uint32_t partitions = 1; partitions <= 20; ++partitions) {
      std::set<uint32_t> held;
      size_t holders = 0;
      for (uint32_t share = 0; share < of; ++share) {
        const auto chosen = Chosen(absl::StrCat(share, "%", of), partitions);
        EXPECT_FALSE(chosen.empty());
        for (const uint32_t p : chosen) EXPECT_LT(p, partitions);
        held.insert(chosen.begin(), chosen.end());
        holders += chosen.size();
      }
      EXPECT_EQ(held.size(), partitions);
      EXPECT_EQ(holders, std::max(of, partitions));
    }
  }
}

TEST(PartitionChoiceTest, ItsTextIsWhatWasParsed) {
  for (const char* text : {"all", "0,2", "7", "1%4"}) {
    EXPECT_EQ(PartitionChoice::Parse(text)->ToString(), text);
  }
}

TEST(PartitionChoiceTest, WhatIsWrongIsSaid) {
  for (const char* text : {"", "x", "-1", "1,", "4294967296", "4%4", "1%", "%4",
                           "1%0", "1%2%3", "0,1%4"}) {
    const auto choice = PartitionChoice::Parse(text);
    EXPECT_EQ(choice.status().code(), absl::StatusCode::kInvalidArgument)
        << text;
    EXPECT_THAT(std::string(choice.status().message()),
                HasSubstr("; allowed: all, numbers"));
  }
}

}  // namespace
}  // namespace tributary
