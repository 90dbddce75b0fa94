#include "common/tensor/scaled_row.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include "common/tensor/convert_row.h"

namespace tributary {
namespace {

using Bytes = std::vector<uint8_t>;

// The row of these values, after one byte, so that nothing is aligned.
Bytes RowOf(const std::vector<int>& values, float scale) {
  Bytes row = {0xAB};
  for (const int value : values) row.push_back(static_cast<uint8_t>(value));
  row.resize(row.size() + sizeof(scale));
  std::memcpy(&row[1 + values.size()], &scale, sizeof(scale));
  return row;
}

// Converts such a row to T; what lies around the result stays.
template <typename T>
std::vector<T> Convert(ConvertRow convert, const Bytes& row) {
  const size_t width = row.size() - 1 - sizeof(float);
  Bytes to(width * sizeof(T) + 2, 0xAB);
  float scale = -1;
  convert(&row[1], width, &to[1], reinterpret_cast<uint8_t*>(&scale));
  EXPECT_EQ(to.front(), 0xAB);
  EXPECT_EQ(to.back(), 0xAB);
  std::vector<T> made(width);
  std::memcpy(made.data(), &to[1], width * sizeof(T));
  return made;
}

TEST(ScaledRow, ItsScaleFollowsItsValues) {
  EXPECT_EQ(ScaledRowBytes(3), 7);
  const Bytes row = RowOf({5, -5, 127}, 0.5f);
  const ScaledRow parts = SplitScaledRow(&row[1], 3);
  EXPECT_EQ(parts.values, &row[1]);
  EXPECT_EQ(parts.scale, &row[4]);
  EXPECT_EQ(parts.unit(), 0.5f);
}

class ScaledToFloat32Test : public testing::TestWithParam<ConvertRowPath> {
 protected:
  std::vector<float> Made(const std::vector<int>& values, float scale) {
    return Convert<float>(GetParam().scaled_to_float32, RowOf(values, scale));
  }
};

TEST_P(ScaledToFloat32Test, IsTheValueTimesTheScale) {
  EXPECT_EQ(Made({127, -127, 64, 0, 1}, 0.5f),
            (std::vector<float>{63.5f, -63.5f, 32, 0, 0.5f}));
  EXPECT_EQ(Made({0, 0, 0}, 0), (std::vector<float>{0, 0, 0}));
  // The exact product has more than 24 bits: it is rounded.
  EXPECT_EQ(Made({127}, 0.1f), (std::vector<float>{127 * 0.1f}));
}

TEST_P(ScaledToFloat32Test, RowsOfAnyWidth) {
  std::mt19937 random(7);
  for (size_t width = 1; width <= 70; ++width) {
    std::vector<int> values(width);
    for (int& value : values) value = static_cast<int>(random() % 255) - 127;
    const float scale = std::ldexp(static_cast<float>(random()), -40);
    const std::vector<float> made = Made(values, scale);
    for (size_t i = 0; i < width; ++i) {
      EXPECT_EQ(made[i], static_cast<float>(values[i]) * scale) << width;
    }
  }
}

// The scale of a row with a NaN or an infinity makes all of it NaN, one NaN on
// all machines.
TEST_P(ScaledToFloat32Test, RowsThatAreNotFinite) {
  const float no_scale = std::bit_cast<float>(0x7fc00000);
  for (const size_t width : {3, 20}) {
    for (const float number : Made(std::vector<int>(width), no_scale)) {
      EXPECT_EQ(std::bit_cast<uint32_t>(number), 0x7fc00000u);
    }
  }
}

// The scale of the largest float32 is rounded up, so the product is beyond it.
TEST_P(ScaledToFloat32Test, TheLargestNumberOverflows) {
  const float largest = std::numeric_limits<float>::max();
  Bytes row(1 + ScaledRowBytes(2), 0);
  const float numbers[] = {largest, -largest / 127};
  ConvertRowOf(DType::kFloat32, DType::kInt8)(
      reinterpret_cast<const uint8_t*>(numbers), 2, &row[1], &row[3]);
  const auto made = Convert<float>(GetParam().scaled_to_float32, row);
  EXPECT_EQ(made[0], std::numeric_limits<float>::infinity());
  EXPECT_EQ(made[1], -largest / 127);
}

INSTANTIATE_TEST_SUITE_P(AllPaths, ScaledToFloat32Test,
                         testing::ValuesIn(ConvertRowPaths()),
                         [](const auto& path) {
                           return std::string(path.param.name);
                         });

TEST(ConvertScaledRowOf, Int8IsTheStoredRow) {
  const Bytes row = RowOf({5, -128, 127}, 0.25f);
  uint8_t values[3], scale[4];
  ConvertScaledRowOf(DType::kInt8)(&row[1], 3, values, scale);
  EXPECT_EQ(std::memcmp(values, &row[1], 3), 0);
  EXPECT_EQ(std::memcmp(scale, &row[4], 4), 0);
}

// As if the row had been float32 first, whatever its width.
TEST(ConvertScaledRowOf, SixteenBitsAreThoseOfTheNumbers) {
  std::mt19937 random(8);
  for (const size_t width : {1, 255, 256, 257, 600}) {
    std::vector<int> values(width);
    for (int& value : values) value = static_cast<int>(random() % 255) - 127;
    const Bytes row = RowOf(values, 0.0123f);
    const auto numbers =
        Convert<float>(ConvertScaledRowOf(DType::kFloat32), row);
    for (const DType dtype : {DType::kFloat16, DType::kBFloat16}) {
      std::vector<uint16_t> wanted(width);
      ConvertRowOf(DType::kFloat32, dtype)(
          reinterpret_cast<const uint8_t*>(numbers.data()), width,
          reinterpret_cast<uint8_t*>(wanted.data()), nullptr);
      EXPECT_EQ(Convert<uint16_t>(ConvertScaledRowOf(dtype), row), wanted);
    }
  }
  EXPECT_EQ(Convert<uint16_t>(ConvertScaledRowOf(DType::kFloat16),
                              RowOf({2, -127}, 0.5f)),
            (std::vector<uint16_t>{0x3c00, 0xd3f0}));
}

TEST(ConvertScaledRowOf, OthersAreNone) {
  EXPECT_EQ(ConvertScaledRowOf(DType::kFloat64), nullptr);
  EXPECT_EQ(ConvertScaledRowOf(DType::kInt64), nullptr);
}

}  // namespace
}  // namespace tributary
