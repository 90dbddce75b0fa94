#include "sampler_server/engine/gather/gather.h"

#include <gtest/gtest.h>

#include <cstring>
#include <vector>

namespace tributary {
namespace {

// Rows of every size that takes another way, each byte telling where it is of.
TEST(Gather, CopiesAndScattersRows) {
  for (const size_t row_bytes : {1, 4, 8, 12, 64, 100, 400, 5000}) {
    std::vector<uint8_t> bytes(50 * row_bytes);
    for (size_t i = 0; i < bytes.size(); ++i) {
      bytes[i] = static_cast<uint8_t>(i / row_bytes * 7 + i % row_bytes * 3);
    }
    const RowTable table{bytes, row_bytes};
    ASSERT_EQ(table.num_rows(), 50u);
    std::vector<uint64_t> rows;
    std::vector<uint32_t> to;
    for (uint32_t i = 0; i < 100; ++i) {
      rows.push_back(i * 37 % 50);
      to.push_back(99 - i);
    }
    const auto row = [&](const std::vector<uint8_t>& from, size_t i) {
      return std::vector<uint8_t>(from.begin() + i * row_bytes,
                                  from.begin() + (i + 1) * row_bytes);
    };
    std::vector<uint8_t> in_order(100 * row_bytes), turned(100 * row_bytes);
    GatherRows(table, rows, {}, in_order.data());
    GatherRows(table, rows, to, turned.data());
    std::vector<uint8_t> scattered(100 * row_bytes);
    ScatterRows({in_order, row_bytes}, to, scattered.data());
    for (size_t i = 0; i < 100; ++i) {
      ASSERT_EQ(row(in_order, i), row(bytes, rows[i])) << row_bytes;
      ASSERT_EQ(row(turned, 99 - i), row(bytes, rows[i]));
    }
    EXPECT_EQ(scattered, turned);
  }
}

// Float32 rows of 5 become float16, wherever they go: row i holds i and its
// negatives.
TEST(Gather, ConvertsRows) {
  std::vector<float> stored;
  for (int i = 0; i < 20; ++i) {
    for (int j = 0; j < 5; ++j) stored.push_back(j % 2 == 0 ? i : -i);
  }
  const RowForm form =
      RowForm::Of({DType::kFloat32, 5}, FeatureDType::kFloat16);
  EXPECT_EQ(form.stored_bytes, 20u);
  EXPECT_EQ(form.row_bytes, 10u);
  const RowTable table{{reinterpret_cast<const uint8_t*>(stored.data()), 400},
                       20};
  std::vector<uint16_t> in_order(15), turned(15);
  const std::vector<uint64_t> rows = {1, 2, 16};
  const std::vector<uint32_t> to = {2, 0, 1};
  GatherRows(table, form, rows, {}, reinterpret_cast<uint8_t*>(in_order.data()),
             nullptr);
  GatherRows(table, form, rows, to, reinterpret_cast<uint8_t*>(turned.data()),
             nullptr);
  using Row = std::vector<uint16_t>;
  EXPECT_EQ(in_order,
            (Row{0x3c00, 0xbc00, 0x3c00, 0xbc00, 0x3c00, 0x4000, 0xc000, 0x4000,
                 0xc000, 0x4000, 0x4c00, 0xcc00, 0x4c00, 0xcc00, 0x4c00}));
  EXPECT_EQ(turned,
            (Row{0x4000, 0xc000, 0x4000, 0xc000, 0x4000, 0x4c00, 0xcc00, 0x4c00,
                 0xcc00, 0x4c00, 0x3c00, 0xbc00, 0x3c00, 0xbc00, 0x3c00}));
}

// (i, -i, i, -i, i) becomes 127 and its negative, with a scale of i / 127.
TEST(Gather, PutsScalesBesideRows) {
  std::vector<float> stored;
  for (int i = 0; i < 20; ++i) {
    for (int j = 0; j < 5; ++j) stored.push_back(j % 2 == 0 ? i : -i);
  }
  const RowForm form = RowForm::Of({DType::kFloat32, 5}, FeatureDType::kInt8);
  EXPECT_EQ(form.row_bytes, 5u);
  EXPECT_EQ(form.all_bytes(), 9u);
  std::vector<int8_t> rows(15);
  std::vector<float> scales(3);
  GatherRows({{reinterpret_cast<const uint8_t*>(stored.data()), 400}, 20}, form,
             std::vector<uint64_t>{1, 0, 16}, std::vector<uint32_t>{2, 0, 1},
             reinterpret_cast<uint8_t*>(rows.data()),
             reinterpret_cast<uint8_t*>(scales.data()));
  EXPECT_EQ(rows, (std::vector<int8_t>{0, 0, 0, 0, 0, 127, -127, 127, -127, 127,
                                       127, -127, 127, -127, 127}));
  EXPECT_EQ(scales, (std::vector<float>{0, 16.0f / 127, 1.0f / 127}));
}

// Scaled rows of 3 values: (i, -i, 0) and the scale 0.5, stored in 7 bytes
// each.
TEST(Gather, ScaledRowsAreSplitOrMultipliedOut) {
  const ColumnSchema stored{DType::kInt8, 3, /*scaled=*/true};
  const float half = 0.5f;
  std::vector<uint8_t> bytes;
  for (int i = 0; i < 20; ++i) {
    for (const int value : {i, -i, 0}) {
      bytes.push_back(static_cast<uint8_t>(value));
    }
    bytes.resize(bytes.size() + sizeof(half));
    std::memcpy(&bytes[bytes.size() - sizeof(half)], &half, sizeof(half));
  }
  const std::vector<uint64_t> wanted = {1, 16};
  const std::vector<uint32_t> to = {1, 0};
  const RowForm split = RowForm::Of(stored, FeatureDType::kInt8);
  EXPECT_EQ(split.stored_bytes, 7u);
  EXPECT_EQ(split.row_bytes, 3u);
  EXPECT_EQ(split.all_bytes(), 7u);
  std::vector<int8_t> rows(6);
  std::vector<float> scales(2);
  GatherRows({bytes, 7}, split, wanted, to,
             reinterpret_cast<uint8_t*>(rows.data()),
             reinterpret_cast<uint8_t*>(scales.data()));
  EXPECT_EQ(rows, (std::vector<int8_t>{16, -16, 0, 1, -1, 0}));
  EXPECT_EQ(scales, (std::vector<float>{0.5, 0.5}));
  const RowForm product = RowForm::Of(stored, FeatureDType::kStored);
  EXPECT_EQ(product.stored_bytes, 7u);
  EXPECT_EQ(product.all_bytes(), 12u);
  std::vector<float> numbers(6);
  GatherRows({bytes, 7}, product, wanted, to,
             reinterpret_cast<uint8_t*>(numbers.data()), nullptr);
  EXPECT_EQ(numbers, (std::vector<float>{8, -8, 0, 0.5, -0.5, 0}));
}

}  // namespace
}  // namespace tributary
