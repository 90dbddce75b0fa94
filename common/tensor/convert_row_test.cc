#include "common/tensor/convert_row.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <ostream>
#include <random>
#include <string>
#include <vector>

#include "common/tensor/testing/defined_features.h"

namespace tributary {
namespace {

using Codes = std::vector<uint16_t>;

constexpr float kInf = std::numeric_limits<float>::infinity();
const float kNan = std::bit_cast<float>(0x7fc00000);

template <typename T>
Codes Convert(ConvertRow convert, const std::vector<T>& values) {
  Codes codes(values.size());
  convert(reinterpret_cast<const uint8_t*>(values.data()), values.size(),
          reinterpret_cast<uint8_t*>(codes.data()), nullptr);
  return codes;
}

Codes Defined(int exponent_bits, const std::vector<float>& values) {
  Codes codes;
  for (const float value : values) {
    codes.push_back(DefinedCode(exponent_bits, value));
  }
  return codes;
}

// A row of int8, and the bits of its scale.
struct Scaled {
  std::vector<int> values;
  uint32_t scale = 0;
  friend bool operator==(const Scaled&, const Scaled&) = default;
};
std::ostream& operator<<(std::ostream& out, const Scaled& row) {
  for (const int value : row.values) out << value << " ";
  return out << "x " << std::bit_cast<float>(row.scale);
}

// Read and written where nothing is aligned; what lies around stays.
template <typename T>
Scaled ToInt8(ConvertRow convert, const std::vector<T>& values) {
  std::vector<uint8_t> from(values.size() * sizeof(T) + 1);
  std::memcpy(&from[1], values.data(), values.size() * sizeof(T));
  std::vector<uint8_t> to(values.size() + 2, 0xAB), scale(6, 0xAB);
  convert(&from[1], values.size(), &to[1], &scale[1]);
  for (const auto* bytes : {&to, &scale}) {
    EXPECT_EQ(bytes->front(), 0xAB);
    EXPECT_EQ(bytes->back(), 0xAB);
  }
  Scaled row;
  for (size_t i = 1; i <= values.size(); ++i) {
    row.values.push_back(static_cast<int8_t>(to[i]));
  }
  std::memcpy(&row.scale, &scale[1], sizeof(row.scale));
  return row;
}

Scaled DefinedInt8(const std::vector<float>& values) {
  const DefinedFeatures made =
      DefineFeatures(values, values.size(), FeatureDType::kInt8);
  Scaled row;
  for (const char byte : made.bytes) {
    row.values.push_back(static_cast<int8_t>(byte));
  }
  row.scale = std::bit_cast<uint32_t>(made.scales[0]);
  return row;
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
          &from[1], width, &to[1], nullptr);
      Codes codes(width);
      std::copy_n(&to[1], 2 * width, reinterpret_cast<uint8_t*>(codes.data()));
      EXPECT_EQ(codes, Defined(exponent_bits, values)) << width;
    }
    EXPECT_EQ(to.front(), 0xAB);
    EXPECT_EQ(to.back(), 0xAB);
  }
}

// Vectors of docs/sampling.md. Rows of up to 8 values and of more take other
// ways; zeros change nothing.
TEST_P(ConvertRowTest, Int8Vectors) {
  const auto made = [](std::vector<float> values) {
    const Scaled few = ToInt8(GetParam().to_int8, values);
    values.resize(21);
    Scaled many = ToInt8(GetParam().to_int8, values);
    many.values.resize(few.values.size());
    EXPECT_EQ(many, few);
    return few;
  };
  EXPECT_EQ(made({127, -127, 63.5, 64.5, 0.5, 1.5, -0.5}),
            (Scaled{{127, -127, 64, 64, 0, 2, 0}, 0x3f800000}));
  EXPECT_EQ(made({1, -0.1f, 0.5}), (Scaled{{127, -13, 64}, 0x3c010204}));
  EXPECT_EQ(made({3.4028235e38f, 1e38f}), (Scaled{{127, 37}, 0x7c010204}));
  EXPECT_EQ(made({0, -0.0f}), (Scaled{{0, 0}, 0}));
  // Of the least numbers a scale is coarse: 190 / 127 is 1 of them, 60 / 127 0.
  EXPECT_EQ(made({0x1.7cp-142f, -0x1p-149f}), (Scaled{{127, -1}, 1}));
  EXPECT_EQ(made({0x1.ep-144f}), (Scaled{{0}, 0}));
  for (const float odd : {kNan, -kNan, kInf, -kInf}) {
    EXPECT_EQ(made({1, odd, -3}), (Scaled{{0, 0, 0}, 0x7fc00000}));
  }
}

TEST_P(ConvertRowTest, Int8RowsOfAnyWidthAndMagnitude) {
  std::mt19937 random(6);
  for (int round = 0; round < 4000; ++round) {
    std::vector<float> values(1 + random() % 40);
    const int magnitude = static_cast<int>(random() % 280) - 152;
    for (float& value : values) {
      // Now and then exactly between two whole numbers of units.
      const auto bits = static_cast<int32_t>(random());
      value = std::ldexp(
          static_cast<float>(round % 2 == 0 ? bits >> 7 : bits % 255 * 2),
          magnitude - 24);
    }
    if (round % 2 == 1) values[0] = std::ldexp(508.0f, magnitude - 24);
    EXPECT_EQ(ToInt8(GetParam().to_int8, values), DefinedInt8(values)) << round;
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

// All are float32 first: 1e300 is infinite then, 1e-300 is 0.
TEST(ConvertRowOf, OtherFloatingRowsToInt8) {
  const auto from = [](DType dtype, const auto& values) {
    return ToInt8(ConvertRowOf(dtype, DType::kInt8), values);
  };
  EXPECT_EQ(from(DType::kFloat64, std::vector<double>{1, -0.1, 1e-300}),
            (Scaled{{127, -13, 0}, 0x3c010204}));
  EXPECT_EQ(from(DType::kFloat64, std::vector<double>{1, 1e300}),
            (Scaled{{0, 0}, 0x7fc00000}));
  EXPECT_EQ(from(DType::kFloat16, Codes{0x3c00, 0xb800, 0x0001}),
            (Scaled{{127, -64, 0}, 0x3c010204}));
  EXPECT_EQ(from(DType::kFloat16, Codes{0x3c00, 0x7c00}),
            (Scaled{{0, 0}, 0x7fc00000}));
  EXPECT_EQ(from(DType::kBFloat16, Codes{0x3f80, 0xbf00}),
            (Scaled{{127, -64}, 0x3c010204}));
}

TEST(ConvertRowOf, AllElseIsCopied) {
  EXPECT_EQ(ConvertRowOf(DType::kInt8, DType::kInt8), nullptr);
  EXPECT_EQ(ConvertRowOf(DType::kUint8, DType::kInt8), nullptr);
  EXPECT_EQ(ConvertRowOf(DType::kFloat16, DType::kFloat16), nullptr);
  EXPECT_EQ(ConvertRowOf(DType::kBFloat16, DType::kBFloat16), nullptr);
  EXPECT_EQ(ConvertRowOf(DType::kFloat32, DType::kFloat32), nullptr);
  EXPECT_EQ(ConvertRowOf(DType::kInt64, DType::kInt64), nullptr);
}

}  // namespace
}  // namespace tributary
