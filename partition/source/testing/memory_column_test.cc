#include "partition/source/testing/memory_column.h"

#include <gtest/gtest.h>

namespace tributary {
namespace {

TEST(MemoryColumnTest, ReadsRangesOfRows) {
  const ColumnPtr x = MakeColumn<float>({1, 2, 3, 4, 5, 6}, 2, "x.npy");
  EXPECT_EQ(x->schema(), (ColumnSchema{DType::kFloat32, 2}));
  EXPECT_EQ(x->num_rows(), 3);
  std::vector<float> rows(4);
  ASSERT_TRUE(x->Read(1, 2, reinterpret_cast<uint8_t*>(rows.data())).ok());
  EXPECT_EQ(rows, (std::vector<float>{3, 4, 5, 6}));
  EXPECT_EQ(x->Where(2), "x.npy, row 2");
  EXPECT_FALSE(x->Read(2, 2, reinterpret_cast<uint8_t*>(rows.data())).ok());
}

TEST(MemoryColumnTest, MakesGraphs) {
  const GraphSource graph = MakeSource(4, {{0, 3}, {2, 1}});
  ASSERT_EQ(graph.edge_types.size(), 1);
  EXPECT_EQ(graph.edge_types[0].name(), "node,to,node");
  EXPECT_EQ(graph.edge_types[0].num_rows(), 2);
  std::vector<int64_t> to(2);
  ASSERT_TRUE(graph.edge_types[0]
                  .to->Read(0, 2, reinterpret_cast<uint8_t*>(to.data()))
                  .ok());
  EXPECT_EQ(to, (std::vector<int64_t>{3, 1}));
  const ColumnPtr mask = MakeColumn<bool>({true, false});
  EXPECT_EQ(mask->schema().dtype, DType::kBool);
  EXPECT_EQ(mask->num_rows(), 2);
}

}  // namespace
}  // namespace tributary
