#include "sampler_server/engine/ids/tree_ids.h"

#include <gtest/gtest.h>

namespace tributary {
namespace {

TEST(TreeIds, TakesNodesAndTreesApart) {
  const TreeIds ids(10);
  EXPECT_EQ(ids.Id(3, 7), 37u);
  EXPECT_EQ(ids.Tree(37), 3u);
  EXPECT_EQ(ids.Node(37), 7u);
  EXPECT_EQ(ids.Tree(ids.Id(65'535, 9)), 65'535u);
}

// Trees 0 1 0 2 1 0: numbers 0 0 1 0 1 2, of which the last four.
TEST(TreeIds, CountsWithinEachTree) {
  const std::vector<uint64_t> ids = {5, 15, 3, 29, 10, 0};
  EXPECT_EQ(TreeIds(10).NumbersWithin(ids, 2, 3),
            (std::vector<uint32_t>{1, 0, 1, 2}));
  EXPECT_TRUE(TreeIds(10).NumbersWithin(ids, 6, 3).empty());
}

TEST(TreeIds, KnowsWhatFits) {
  EXPECT_TRUE(TreeIds::Fit(0, 1 << 16));
  EXPECT_TRUE(TreeIds::Fit(uint64_t{1} << 46, 1 << 16));
  EXPECT_FALSE(TreeIds::Fit(uint64_t{1} << 47, 1 << 16));
  EXPECT_FALSE(TreeIds::Fit(UINT64_MAX, 1));
}

}  // namespace
}  // namespace tributary
