#include "partition/schema/edge_direction.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace tributary {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

EdgeTypeSchema Type(const char* src, const char* rel, const char* dst,
                    bool reverse = false) {
  EdgeTypeSchema type;
  type.src = src;
  type.rel = rel;
  type.dst = dst;
  type.reverse = reverse;
  return type;
}

// paper,rev_likes,paper is a relation of the user's own.
GraphSchema Typed() {
  GraphSchema schema;
  schema.heterogeneous = true;
  schema.edge_types = {Type("author", "writes", "paper"),
                       Type("paper", "likes", "paper"),
                       Type("paper", "rev_likes", "paper"),
                       Type("paper", "rev_writes", "author", true)};
  return schema;
}

TEST(DrawnTypes, OfEachDirection) {
  const GraphSchema schema = Typed();
  EXPECT_THAT(*DrawnTypes(schema, 0, EdgeDirection::kIn), ElementsAre(0));
  EXPECT_THAT(*DrawnTypes(schema, 0, EdgeDirection::kOut), ElementsAre(3));
  EXPECT_THAT(*DrawnTypes(schema, 0, EdgeDirection::kBoth), ElementsAre(0, 3));
  EXPECT_THAT(*DrawnTypes(schema, 3, EdgeDirection::kBoth), ElementsAre(3, 0));
}

TEST(DrawnTypes, WhatIsNotStoredBothWaysIsRefused) {
  GraphSchema schema = Typed();
  EXPECT_THAT(*DrawnTypes(schema, 1, EdgeDirection::kIn), ElementsAre(1));
  const auto out = DrawnTypes(schema, 1, EdgeDirection::kOut);
  EXPECT_EQ(out.status().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(std::string(out.status().message()),
              HasSubstr("edge_dir: out, but the edges of paper,likes,paper"));
  EXPECT_THAT(std::string(out.status().message()), HasSubstr("--add-reverse"));
  schema.heterogeneous = false;
  EXPECT_THAT(
      std::string(
          DrawnTypes(schema, 1, EdgeDirection::kBoth).status().message()),
      HasSubstr("--out-edges"));
}

TEST(CheckDrawnOnce, BothOfAnEdgeTypeAndItsReverse) {
  const GraphSchema schema = Typed();
  EXPECT_TRUE(CheckDrawnOnce(schema, {0, 1, 2, 3}, EdgeDirection::kOut).ok());
  EXPECT_TRUE(CheckDrawnOnce(schema, {1, 2, 3}, EdgeDirection::kBoth).ok());
  const absl::Status twice =
      CheckDrawnOnce(schema, {0, 3}, EdgeDirection::kBoth);
  EXPECT_EQ(twice.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(std::string(twice.message()),
              HasSubstr("author,writes,paper and of paper,rev_writes,author"));
}

}  // namespace
}  // namespace tributary
