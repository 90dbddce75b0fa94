#include "sampler_server/rows/row_order.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <random>
#include <vector>

namespace tributary {
namespace {

using Order = std::vector<uint32_t>;

TEST(RowOrder, IsThatOfTheFileAndEqualRowsStayInOrder) {
  EXPECT_EQ(RowOrder({}), Order());
  EXPECT_EQ(RowOrder({4}), Order({0}));
  EXPECT_EQ(RowOrder({1, 5, 9}), Order({0, 1, 2}));
  EXPECT_EQ(RowOrder({7, 2, 7, 0, 2}), Order({3, 1, 4, 0, 2}));
  EXPECT_EQ(RowOrder({2048, 1, 2047}), Order({1, 2, 0}));
  EXPECT_EQ(RowOrder({UINT64_MAX, 0, uint64_t{1} << 63}), Order({1, 2, 0}));
}

// Of one, two and three digits, and of all.
TEST(RowOrder, IsTheStableSort) {
  std::mt19937_64 random(3);
  for (const int bits : {5, 20, 33, 64}) {
    std::vector<uint64_t> rows(5000);
    for (uint64_t& row : rows) row = random() >> (64 - bits);
    Order expected(rows.size());
    std::iota(expected.begin(), expected.end(), 0u);
    std::stable_sort(expected.begin(), expected.end(),
                     [&](uint32_t a, uint32_t b) { return rows[a] < rows[b]; });
    EXPECT_EQ(RowOrder(rows), expected) << bits;
  }
}

}  // namespace
}  // namespace tributary
