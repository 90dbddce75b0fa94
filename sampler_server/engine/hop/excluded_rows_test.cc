#include "sampler_server/engine/hop/excluded_rows.h"

#include <gtest/gtest.h>

#include <vector>

namespace tributary {
namespace {

// Many rows' marks: those without exclusions are known not to have any, nearly
// always, and those with some always are.
TEST(ExcludedRows, MarksRows) {
  ExcludedEdges excluded;
  for (uint64_t row = 0; row < 3000; row += 3) {
    excluded.by_id.push_back({100 + row, 1});
    excluded.by_source.push_back({101 + row, 1});
  }
  ASSERT_TRUE(excluded.Finish().ok());
  const ExcludedRows rows(ExcludedOfRows(excluded, 100, 3100));
  int false_marks = 0;
  for (uint64_t row = 0; row < 3000; ++row) {
    if (row % 3 == 2) {
      false_marks += rows.MayHave(row) ? 1 : 0;
    } else {
      EXPECT_TRUE(rows.MayHave(row)) << row;
    }
  }
  EXPECT_LT(false_marks, 300);
}

TEST(ExcludedOfRows, OfSomeNodesAndOfRows) {
  ExcludedEdges excluded;
  excluded.by_id = {{5, 1}, {5, 2}, {7, 3}, {9, 4}};
  excluded.by_source = {{6, 10}, {9, 11}};
  const ExcludedOfRows part(excluded, 5, 9);
  EXPECT_EQ(part.by_id.size(), 3u);
  EXPECT_EQ(part.by_source.size(), 1u);
  const std::vector<uint64_t> rows = {2, 1, 2, 3};
  const ExcludedEdges of_rows = part.OfRows(rows);
  EXPECT_EQ(of_rows.by_id, (std::vector<EdgeOfNode>{{2, 3}}));
  EXPECT_EQ(of_rows.by_source, (std::vector<SourceOfNode>{{1, 10}}));
  EXPECT_TRUE(ExcludedOfRows(excluded, 10, 20).empty());
}

}  // namespace
}  // namespace tributary
