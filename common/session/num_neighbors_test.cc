#include "common/session/num_neighbors.h"

#include <gtest/gtest.h>

namespace tributary {
namespace {

using Fanouts = NumNeighbors::Fanouts;

TEST(ParseNumNeighbors, ReadsDefaultAndTypes) {
  EXPECT_EQ(ParseNumNeighbors("15,10,5")->by_default, (Fanouts{15, 10, 5}));
  const auto both = ParseNumNeighbors("4,-1;p,author,q=2,0;q,r,p=0,1");
  ASSERT_TRUE(both.ok());
  EXPECT_EQ(both->by_default, (Fanouts{4, -1}));
  EXPECT_EQ(both->by_edge_type.at("p,author,q"), (Fanouts{2, 0}));
  EXPECT_EQ(both->by_edge_type.at("q,r,p"), (Fanouts{0, 1}));
  EXPECT_TRUE(ParseNumNeighbors("p,r,q=2,0")->by_default.empty());
}

TEST(ParseNumNeighbors, RefusesWithTheText) {
  for (const char* text : {"", "5,", "5,x", "+5", "99999999999", "4;5",
                           "4;a,b,c=", "4;a,b,c=1;a,b,c=2"}) {
    EXPECT_EQ(ParseNumNeighbors(text).status().code(),
              absl::StatusCode::kInvalidArgument)
        << text;
  }
}

TEST(NumNeighbors, TheTextIsReadBack) {
  for (const char* text :
       {"15,10,5", "4,-1;p,author,q=2,0;q,r,p=0,1", "p,r,q=2,0"}) {
    EXPECT_EQ(NumNeighborsText(*ParseNumNeighbors(text)), text);
  }
}

TEST(NumNeighbors, HopsAreThoseOfAnyList) {
  EXPECT_EQ(NumNeighbors().hops(), 0);
  EXPECT_EQ((NumNeighbors{2, 2, 2}).hops(), 3);
  EXPECT_EQ(NumNeighbors({}, {{"a,b,c", {2, 0}}}).hops(), 2);
}

}  // namespace
}  // namespace tributary
