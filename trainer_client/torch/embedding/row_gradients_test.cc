#include "trainer_client/torch/embedding/row_gradients.h"

#include <gtest/gtest.h>

namespace tributary {
namespace {

using Ids = std::vector<int64_t>;
using Floats = std::vector<float>;

TEST(DistinctRowsTest, SortsAndCounts) {
  const DistinctRows d = DistinctRows::Of(Ids{7, 3, 7, 9, 3, 7});
  EXPECT_EQ(d.rows, (Ids{3, 7, 9}));
  EXPECT_EQ(d.position, (Ids{1, 0, 1, 2, 0, 1}));
  EXPECT_EQ(d.count, (Ids{2, 3, 1}));
  EXPECT_FALSE(d.identity);
}

TEST(DistinctRowsTest, AscendingIdsAreTheRows) {
  EXPECT_TRUE(DistinctRows::Of(Ids{2, 5, 6}).identity);
  EXPECT_TRUE(DistinctRows::Of(Ids{}).identity);
  EXPECT_FALSE(DistinctRows::Of(Ids{2, 2}).identity);
  EXPECT_EQ(DistinctRows::Of(Ids{2, 5, 6}).rows, (Ids{2, 5, 6}));
}

TEST(RowGradientsTest, MergesByRow) {
  RowGradients sums(2);
  sums.Add({3, 5}, {1, 2}, Floats{1, 2, 3, 4});
  sums.Add({1, 5, 9}, {1, 1, 1}, Floats{10, 20, 30, 40, 50, 60});
  const SummedRows all = sums.Take(/*average=*/false);
  EXPECT_EQ(all.rows, (Ids{1, 3, 5, 9}));
  EXPECT_EQ(all.gradients, (Floats{10, 20, 1, 2, 33, 44, 50, 60}));
  EXPECT_TRUE(sums.Take(false).rows.empty());
}

TEST(RowGradientsTest, AveragesOverLookups) {
  RowGradients sums(1);
  sums.Add({3, 5}, {1, 2}, Floats{1, 6});
  sums.Add({5}, {1}, Floats{3});
  EXPECT_EQ(sums.Take(/*average=*/true).gradients, (Floats{1, 3}));
}

}  // namespace
}  // namespace tributary
