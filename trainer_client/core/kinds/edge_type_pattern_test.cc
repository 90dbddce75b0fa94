#include "trainer_client/core/kinds/edge_type_pattern.h"

#include <variant>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace tributary {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

// Users buy and see items and know users; only "sees" has no test split.
GraphSchema Shop() {
  GraphSchema schema;
  schema.name = "shop";
  schema.heterogeneous = true;
  schema.edge_types = {
      {.src = "item", .rel = "rev_buys", .dst = "user", .reverse = true},
      {.src = "user", .rel = "buys", .dst = "item"},
      {.src = "user", .rel = "knows", .dst = "user"},
      {.src = "user", .rel = "sees", .dst = "item"}};
  for (const char* type : {"user,buys,item", "user,knows,user"}) {
    schema.splits.push_back({.type = type, .name = "test"});
    schema.splits.push_back({.type = type, .name = "train"});
  }
  schema.splits.push_back({.type = "user,sees,item", .name = "train"});
  return schema;
}

TEST(EdgeTypePatternTest, AStarIsAPattern) {
  EXPECT_TRUE(IsEdgeTypePattern("*"));
  EXPECT_TRUE(IsEdgeTypePattern("user,*,item"));
  EXPECT_FALSE(IsEdgeTypePattern("user,buys,item"));
  EXPECT_FALSE(IsEdgeTypePattern("user,b*,item"));
  EXPECT_FALSE(IsEdgeTypePattern("*,*"));
  EXPECT_FALSE(IsEdgeTypePattern(""));
}

TEST(EdgeTypePatternTest, TypesThatMatchAndHaveTheSplit) {
  const GraphSchema schema = Shop();
  EXPECT_THAT(
      *EdgeTypesWithSplit(schema, "*", "train"),
      ElementsAre("user,buys,item", "user,knows,user", "user,sees,item"));
  EXPECT_THAT(*EdgeTypesWithSplit(schema, "*", "test"),
              ElementsAre("user,buys,item", "user,knows,user"));
  EXPECT_THAT(*EdgeTypesWithSplit(schema, "user,*,item", "train"),
              ElementsAre("user,buys,item", "user,sees,item"));
  EXPECT_THAT(*EdgeTypesWithSplit(schema, "*,knows,*", "train"),
              ElementsAre("user,knows,user"));
}

TEST(EdgeTypePatternTest, WhatMatchesNothingNamesWhatExists) {
  const auto none = EdgeTypesWithSplit(Shop(), "user,*,shop", "test");
  EXPECT_EQ(none.status().code(), absl::StatusCode::kNotFound);
  EXPECT_THAT(none.status().message(),
              AllOf(HasSubstr("user,*,shop"), HasSubstr("user,buys,item"),
                    HasSubstr("user,knows,user"), Not(HasSubstr("sees"))));
  EXPECT_THAT(EdgeTypesWithSplit(Shop(), "*", "dev").status().message(),
              AllOf(HasSubstr("'dev'"), HasSubstr("user,sees,item")));
}

TEST(EdgeTypePatternTest, ListsOfAPatternBecomeThoseOfItsTypes) {
  SessionOptions options;
  LinkOptions link;
  link.lists = {{.edge_type = "user,*,item", .input_split = "train"},
                {.edge_type = "user,knows,user", .source = {1}}};
  options.kind = link;
  ASSERT_TRUE(ExpandEdgeTypes(Shop(), &options).ok());
  const auto& lists = std::get<LinkOptions>(options.kind).lists;
  ASSERT_EQ(lists.size(), 3);
  EXPECT_EQ(lists[0].edge_type, "user,buys,item");
  EXPECT_EQ(lists[0].input_split, "train");
  EXPECT_EQ(lists[1].edge_type, "user,sees,item");
  EXPECT_THAT(lists[2].source, ElementsAre(1));
}

TEST(EdgeTypePatternTest, ListedLinksAreOfOneType) {
  SessionOptions options;
  LinkOptions link;
  link.lists = {{.edge_type = "*", .source = {1}, .destination = {2}}};
  options.kind = link;
  EXPECT_THAT(ExpandEdgeTypes(Shop(), &options).message(),
              HasSubstr("input_split"));
}

}  // namespace
}  // namespace tributary
