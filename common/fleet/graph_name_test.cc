#include "common/fleet/graph_name.h"

#include <gtest/gtest.h>

namespace tributary {
namespace {

const Sha256Digest kContent = Sha256Of("one");

GraphName Parsed(const std::string& text) {
  const auto parsed = GraphName::Parse(text);
  EXPECT_TRUE(parsed.ok()) << parsed.status();
  return parsed.value_or(GraphName{});
}

TEST(GraphNameTest, NamesMatchEachOfTheirVersions) {
  EXPECT_TRUE(Parsed("cora").Matches("cora", kContent));
  EXPECT_TRUE(Parsed("cora").Matches("cora", Sha256Of("two")));
  EXPECT_FALSE(Parsed("cora").Matches("corafull", kContent));
}

TEST(GraphNameTest, VersionsMatchTheDigestsTheyBegin) {
  const std::string digits = ToHex(kContent);
  for (const size_t n : {size_t{1}, size_t{12}, digits.size()}) {
    const std::string text = "cora@" + digits.substr(0, n);
    EXPECT_TRUE(Parsed(text).Matches("cora", kContent)) << text;
    EXPECT_FALSE(Parsed(text).Matches("pubmed", kContent)) << text;
  }
  std::string other = digits.substr(0, 12);
  other.back() = other.back() == '0' ? '1' : '0';
  EXPECT_FALSE(Parsed("cora@" + other).Matches("cora", kContent));
}

TEST(GraphNameTest, AVersionMayStandAlone) {
  EXPECT_TRUE(
      Parsed("@" + ToHex(kContent).substr(0, 8)).Matches("any", kContent));
}

TEST(GraphNameTest, TheEmptyNameMatchesAll) {
  EXPECT_TRUE(Parsed("").empty());
  EXPECT_TRUE(Parsed("").Matches("cora", kContent));
}

TEST(GraphNameTest, WhatIsShownNamesTheGraphAgain) {
  const std::string shown = VersionedName("a@b", kContent);
  EXPECT_EQ(Parsed(shown).ToString(), shown);
  EXPECT_EQ(Parsed(shown).name, "a@b");
  EXPECT_TRUE(Parsed(shown).Matches("a@b", kContent));
}

TEST(GraphNameTest, WhatIsNoVersionIsRefused) {
  for (const std::string& text :
       {std::string("cora@"), std::string("cora@xyz"), std::string("cora@1F"),
        "cora@" + std::string(65, '0'), std::string(2000, 'a')}) {
    const auto parsed = GraphName::Parse(text);
    EXPECT_EQ(parsed.status().code(), absl::StatusCode::kInvalidArgument)
        << text;
  }
}

}  // namespace
}  // namespace tributary
