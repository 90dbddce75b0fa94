#include "partition/source/converted_column.h"

#include <gtest/gtest.h>

#include <cstring>
#include <vector>

#include "partition/source/testing/memory_column.h"

namespace tributary {
namespace {

std::vector<uint16_t> Read(const Column& column, int64_t begin, int64_t count) {
  std::vector<uint16_t> values(static_cast<size_t>(count) *
                               column.schema().width());
  const auto status =
      column.Read(begin, count, reinterpret_cast<uint8_t*>(values.data()));
  EXPECT_TRUE(status.ok()) << status;
  return values;
}

TEST(ConvertedColumnTest, RoundsEachValue) {
  // 1 + 2^-11 lies between two numbers of float16 and goes to the even one.
  const std::vector<float> values = {1, 1 + 0x1p-11f, 65536, -0.0f, 2, 3};
  const ColumnPtr halves =
      ConvertColumn(MakeColumn<float>(values, 2), DType::kFloat16);
  EXPECT_EQ(halves->schema(), (ColumnSchema{DType::kFloat16, 2}));
  EXPECT_EQ(
      Read(*halves, 0, 3),
      (std::vector<uint16_t>{0x3c00, 0x3c00, 0x7c00, 0x8000, 0x4000, 0x4200}));
  EXPECT_EQ(Read(*halves, 2, 1), (std::vector<uint16_t>{0x4000, 0x4200}));
  const ColumnPtr brains =
      ConvertColumn(MakeColumn<double>({1, 3}), DType::kBFloat16);
  EXPECT_EQ(Read(*brains, 0, 2), (std::vector<uint16_t>{0x3f80, 0x4040}));
}

TEST(ConvertedColumnTest, ReadsMoreThanItsScratch) {
  std::vector<float> values(200'000);
  for (size_t i = 0; i < values.size(); ++i) {
    values[i] = static_cast<float>(i % 1000);
  }
  const ColumnPtr halves =
      ConvertColumn(MakeColumn<float>(values), DType::kFloat16);
  const auto got = Read(*halves, 0, 200'000);
  for (size_t i = 1000; i < got.size(); ++i) {
    ASSERT_EQ(got[i], got[i - 1000]) << i;
  }
}

TEST(ConvertedColumnTest, WhatIsNotFloatingStays) {
  GraphSource graph = MakeSource(2, {});
  graph.node_types[0].x = MakeColumn<int64_t>({1, 2});
  const ColumnPtr before = graph.node_types[0].x;
  ConvertFeatures(DType::kFloat16, graph);
  EXPECT_EQ(graph.node_types[0].x, before);
  ASSERT_EQ(graph.notes.size(), 1);
  EXPECT_EQ(graph.notes[0],
            "the features of node stay int64: they are no floating-point "
            "numbers");
  graph.node_types[0].x = nullptr;
  ConvertFeatures(DType::kFloat16, graph);
  EXPECT_EQ(graph.notes.back(), "node has no features");
}

}  // namespace
}  // namespace tributary
