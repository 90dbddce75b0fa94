#include "partition/source/converted_column.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <limits>
#include <vector>

#include "partition/source/testing/memory_column.h"

namespace tributary {
namespace {

constexpr float kInf = std::numeric_limits<float>::infinity();

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

// Rows of int8 with the float32 scale m / 127 behind them, m being the largest
// magnitude: 1 / 127 is 0x3c010204.
TEST(ConvertedColumnTest, Int8HasAScaleForEachRow) {
  const std::vector<float> values = {127, -63.5f, 0, 0, 1, -0.1f, 1, kInf};
  const ColumnPtr rows =
      ConvertColumn(MakeColumn<float>(values, 2), DType::kInt8);
  EXPECT_EQ(rows->schema(), (ColumnSchema{DType::kInt8, 2, /*scaled=*/true}));
  std::vector<uint8_t> bytes(4 * 6);
  ASSERT_TRUE(rows->Read(0, 4, bytes.data()).ok());
  EXPECT_EQ(bytes, (std::vector<uint8_t>{
                       127, 256 - 64, 0,    0,    0x80, 0x3f,     // 1
                       0,   0,        0,    0,    0,    0,        // 0
                       127, 256 - 13, 0x04, 0x02, 0x01, 0x3c,     // 1 / 127
                       0,   0,        0,    0,    0xc0, 0x7f}));  // NaN
  std::vector<uint8_t> third(6);
  ASSERT_TRUE(rows->Read(2, 1, third.data()).ok());
  EXPECT_TRUE(std::equal(third.begin(), third.end(), bytes.begin() + 12));
  const ColumnPtr single =
      ConvertColumn(MakeColumn<double>({-254}), DType::kInt8);
  std::vector<uint8_t> one(5);
  ASSERT_TRUE(single->Read(0, 1, one.data()).ok());
  EXPECT_EQ(one, (std::vector<uint8_t>{256 - 127, 0, 0, 0, 0x40}));
}

// Reads in pieces of 2^18 bytes, which end within rows of no other column.
TEST(ConvertedColumnTest, ScaledRowsOfManyPieces) {
  constexpr int64_t kWidth = 300, kRows = 1000;
  std::vector<float> values;
  for (int64_t i = 0; i < kRows * kWidth; ++i) {
    values.push_back(static_cast<float>(i / kWidth + 1) *
                     (i % kWidth == 0 ? 127.0f : 1.0f));
  }
  const ColumnPtr column =
      ConvertColumn(MakeColumn<float>(values, kWidth), DType::kInt8);
  std::vector<uint8_t> bytes(kRows * (kWidth + 4));
  ASSERT_TRUE(column->Read(0, kRows, bytes.data()).ok());
  for (int64_t row = 0; row < kRows; ++row) {
    const uint8_t* at = bytes.data() + row * (kWidth + 4);
    EXPECT_EQ(at[0], 127);
    EXPECT_EQ(at[kWidth - 1], 1);
    float scale;
    std::memcpy(&scale, at + kWidth, sizeof(scale));
    EXPECT_EQ(scale, static_cast<float>(row + 1));
  }
}

TEST(ConvertedColumnTest, Int8OfWholeNumbersIsRefused) {
  GraphSource graph = MakeSource(2, {});
  graph.node_types[0].x = MakeColumn<int64_t>({1, 2});
  const absl::Status status = ConvertFeatures(DType::kInt8, graph);
  EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(status.message(),
            "--feature-dtype int8: x of node is int64; allowed: float16, "
            "bfloat16, float32, float64, because int8 has a scale for each "
            "row");
  graph.node_types[0].x = MakeColumn<float>({1, 2});
  graph.edge_types[0].edge_attr = MakeColumn<int64_t>({});
  EXPECT_EQ(ConvertFeatures(DType::kInt8, graph).code(),
            absl::StatusCode::kInvalidArgument);
}

TEST(ConvertedColumnTest, NotesRowsThatGrow) {
  GraphSource graph = MakeSource(2, {});
  graph.node_types[0].x = MakeColumn<float>({1, 2});
  ASSERT_TRUE(ConvertFeatures(DType::kInt8, graph).ok());
  ASSERT_EQ(graph.notes.size(), 1);
  EXPECT_EQ(graph.notes[0],
            "x of node takes 5 bytes a row as scaled int8, more than the 4 of "
            "float32");
  graph.node_types[0].x = MakeColumn<float>({1, 2, 3, 4}, 2);
  ASSERT_TRUE(ConvertFeatures(DType::kInt8, graph).ok());
  EXPECT_EQ(graph.notes.size(), 1);  // 6 of 8 bytes
}

TEST(ConvertedColumnTest, WhatIsNotFloatingStays) {
  GraphSource graph = MakeSource(2, {});
  graph.node_types[0].x = MakeColumn<int64_t>({1, 2});
  const ColumnPtr before = graph.node_types[0].x;
  ASSERT_TRUE(ConvertFeatures(DType::kFloat16, graph).ok());
  EXPECT_EQ(graph.node_types[0].x, before);
  ASSERT_EQ(graph.notes.size(), 1);
  EXPECT_EQ(graph.notes[0],
            "the features of node stay int64: they are no floating-point "
            "numbers");
  graph.node_types[0].x = nullptr;
  ASSERT_TRUE(ConvertFeatures(DType::kFloat16, graph).ok());
  EXPECT_EQ(graph.node_types[0].x, nullptr);
  EXPECT_EQ(graph.notes.size(), 1);
}

}  // namespace
}  // namespace tributary
