#include "sampler_server/engine/convert_row.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include "sampler_server/engine/testing/defined_features.h"

namespace tributary {
namespace {

using Codes = std::vector<uint16_t>;

constexpr float kInf = std::numeric_limits<float>::infinity();
const float kNan = std::bit_cast<float>(0x7fc00000);

template <typename T>
Codes Convert(ConvertRow convert, const std::vector<T>& values) {
  Codes codes(values.size());
  convert(reinterpret_cast<const uint8_t*>(values.data()), values.size(),
          reinterpret_cast<uint8_t*>(codes.data()));
  return codes;
}

Codes Defined(int exponent_bits, const std::vector<float>& values) {
  Codes codes;
  for (const float value : values) {
    codes.push_back(DefinedCode(exponent_bits, value));
  }
  return codes;
}

class ConvertRowTest : public testing::TestWithParam<ConvertRowPath> {};

// Vectors of docs/sampling.md.
TEST_P(ConvertRowTest, Float16Vectors) {
  EXPECT_EQ(Convert<float>(
                GetParam().to_float16,
                {1, -2, 0.1f, 65504, 65519.996f, 65520, -1e9f, 0x1p-24f,
                 0x1p-25f, 0x1.8p-24f, 0x1.000002p-25f, -0.0f, 1e-30f, -1e-30f,
                 1 + 0x1p-11f, 1 + 0x3p-11f, 0x1.ffep-15f, 0x1.fffp-15f}),
            (Codes{0x3c00, 0xc000, 0x2e66, 0x7bff, 0x7bff, 0x7c00, 0xfc00,
                   0x0001, 0x0000, 0x0002, 0x0001, 0x8000, 0x0000, 0x8000,
                   0x3c00, 0x3c02, 0x0400, 0x0400}));
  EXPECT_EQ(
      Convert<float>(GetParam().to_float16, {kInf, -kInf, kNan, -kNan,
                                             std::bit_cast<float>(0x7f800001),
                                             std::bit_cast<float>(0xffffffff)}),
      (Codes{0x7c00, 0xfc00, 0x7e00, 0x7e00, 0x7e00, 0x7e00}));
}

TEST_P(ConvertRowTest, BFloat16Vectors) {
  EXPECT_EQ(Convert<float>(GetParam().to_bfloat16,
                           {1, -2, 0.1f, 3.3895314e38f, 3.3961776e38f, -3.4e38f,
                            0x1p-133f, 0x1p-134f, 0x1.8p-133f, 0x1.0002p-134f,
                            -0.0f, 1 + 0x1p-8f, 1 + 0x3p-8f}),
            (Codes{0x3f80, 0xc000, 0x3dcd, 0x7f7f, 0x7f80, 0xff80, 0x0001,
                   0x0000, 0x0002, 0x0001, 0x8000, 0x3f80, 0x3f82}));
  EXPECT_EQ(Convert<float>(
                GetParam().to_bfloat16,
                {kInf, -kInf, kNan, -kNan, std::bit_cast<float>(0x7f800001),
                 std::bit_cast<float>(0xffffffff)}),
            (Codes{0x7f80, 0xff80, 0x7fc0, 0x7fc0, 0x7fc0, 0x7fc0}));
}

// Every number of a format, what lies halfway to the next, and both sides of
// that, which float32 has.
std::vector<float> Edges(int exponent_bits) {
  const auto infinity =
      static_cast<uint16_t>(0x8000 - (1 << (15 - exponent_bits)));
  std::vector<float> values;
  for (uint16_t code = 0; code < infinity; ++code) {
    const double number = DefinedNumber(exponent_bits, code);
    const double next =
        DefinedNumber(exponent_bits, static_cast<uint16_t>(code + 1));
    const auto half = static_cast<float>(number + (next - number) / 2);
    for (const float value :
         {static_cast<float>(number), half, std::nextafter(half, 0.0f),
          std::nextafter(half, kInf)}) {
      values.push_back(value);
      values.push_back(-value);
    }
  }
  return values;
}

TEST_P(ConvertRowTest, EveryNumberOfTheFormatsAndWhatIsBetween) {
  const auto halves = Edges(5), brains = Edges(8);
  EXPECT_EQ(Convert(GetParam().to_float16, halves), Defined(5, halves));
  EXPECT_EQ(Convert(GetParam().to_float16, brains), Defined(5, brains));
  EXPECT_EQ(Convert(GetParam().to_bfloat16, halves), Defined(8, halves));
  EXPECT_EQ(Convert(GetParam().to_bfloat16, brains), Defined(8, brains));
}

// Of any bits, in rows of any width, wherever they lie.
TEST_P(ConvertRowTest, RowsOfAnyWidth) {
  std::mt19937 random(5);
  for (size_t width = 0; width < 70; ++width) {
    std::vector<float> values(width);
    for (float& value : values) {
      const uint32_t bits = random();
      value = std::bit_cast<float>(width % 2 == 0 ? bits : bits >> 2 | 1 << 29);
    }
    std::vector<uint8_t> from(4 * width + 1), to(2 * width + 3, 0xAB);
    std::copy_n(reinterpret_cast<const uint8_t*>(values.data()), 4 * width,
                &from[1]);
    for (const int exponent_bits : {5, 8}) {
      (exponent_bits == 5 ? GetParam().to_float16 : GetParam().to_bfloat16)(
          &from[1], width, &to[1]);
      Codes codes(width);
      std::copy_n(&to[1], 2 * width, reinterpret_cast<uint8_t*>(codes.data()));
      EXPECT_EQ(codes, Defined(exponent_bits, values)) << width;
    }
    EXPECT_EQ(to.front(), 0xAB);
    EXPECT_EQ(to.back(), 0xAB);
  }
}

INSTANTIATE_TEST_SUITE_P(AllPaths, ConvertRowTest,
                         testing::ValuesIn(ConvertRowPaths()),
                         [](const auto& path) {
                           return std::string(path.param.name);
                         });

TEST(ConvertRowPaths, NoneIsLeftOutHere) {
  EXPECT_EQ(std::string(ConvertRowPaths().front().name), "plain");
  EXPECT_EQ(ConvertRowPaths().size(),
            __builtin_cpu_supports("avx2") != 0 ? 2u : 1u);
}

// A float64 is rounded once: by way of float32 it would be a tie.
TEST(ConvertRowOf, OtherFloatingRows) {
  const auto convert = [](DType from, DType to, const auto& values) {
    return Convert(ConvertRowOf(from, to), values);
  };
  const std::vector<double> doubles = {
      1 + 0x1p-11 + 0x1p-40, 1 + 0x1p-11, 1e300, -5e-324, 1e-310, -kNan};
  EXPECT_EQ(convert(DType::kFloat64, DType::kFloat16, doubles),
            (Codes{0x3c01, 0x3c00, 0x7c00, 0x8000, 0x0000, 0x7e00}));
  EXPECT_EQ(convert(DType::kFloat64, DType::kBFloat16,
                    std::vector<double>{1 + 0x1p-8 + 0x1p-40, 1 + 0x1p-8}),
            (Codes{0x3f81, 0x3f80}));
  EXPECT_EQ(convert(DType::kFloat16, DType::kBFloat16,
                    Codes{0x3c00, 0x0001, 0x83ff, 0x7bff, 0xfc00, 0x7c01}),
            (Codes{0x3f80, 0x3380, 0xb880, 0x4780, 0xff80, 0x7fc0}));
  EXPECT_EQ(convert(DType::kBFloat16, DType::kFloat16,
                    Codes{0x3f80, 0x3380, 0x4780, 0xc77f, 0x0001, 0xffff}),
            (Codes{0x3c00, 0x0001, 0x7c00, 0xfbf8, 0x0000, 0x7e00}));
}

TEST(ConvertRowOf, AllElseIsCopied) {
  EXPECT_EQ(ConvertRowOf(DType::kFloat16, DType::kFloat16), nullptr);
  EXPECT_EQ(ConvertRowOf(DType::kBFloat16, DType::kBFloat16), nullptr);
  EXPECT_EQ(ConvertRowOf(DType::kFloat32, DType::kFloat32), nullptr);
  EXPECT_EQ(ConvertRowOf(DType::kInt64, DType::kInt64), nullptr);
}

}  // namespace
}  // namespace tributary
