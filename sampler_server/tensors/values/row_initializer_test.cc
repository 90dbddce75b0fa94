#include "sampler_server/tensors/values/row_initializer.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <string>
#include <utility>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "sampler_server/tensors/values/normal_quantile.h"

namespace tributary {
namespace {

using ::testing::HasSubstr;

template <typename T>
std::vector<T> RowOf(const InitialValueOptions& options, uint64_t row,
                     uint64_t num_rows, uint32_t dim, DType dtype,
                     const std::string& name = "emb") {
  const auto values =
      RowInitializer::Create(options, name, num_rows, dim, dtype);
  EXPECT_TRUE(values.ok()) << values.status();
  std::vector<T> out(std::max(dim, 1u));
  values->Fill(row, reinterpret_cast<uint8_t*>(out.data()));
  return out;
}

// Python's statistics.NormalDist().inv_cdf, an implementation of AS241 too.
TEST(NormalQuantileTest, EqualsPython) {
  constexpr std::pair<double, double> kPoints[] = {
      {1e-300, -37.0470962993612},  {1e-20, -9.262340089798405},
      {1e-05, -4.2648907939228256}, {0.01, -2.3263478740408408},
      {0.075, -1.4395314709384557}, {0.0750001, -1.4395307645017297},
      {0.3, -0.5244005127080407},   {0.5, 0.0},
      {0.6, 0.2533471031357998},    {0.925, 1.439531470938456},
      {0.99, 2.3263478740408408},   {0.9999999999999999, 8.209536151601386},
  };
  for (const auto& [p, x] : kPoints) {
    EXPECT_NEAR(NormalQuantile(p), x, 4e-16 * std::fabs(x)) << p;
  }
}

TEST(NormalQuantileTest, TheLogarithmIsThatOfLibmButForTheLastPlaces) {
  for (double x = 1e-300; x < 1e300; x *= 1.37) {
    EXPECT_NEAR(PortableLog(x), std::log(x), 4.5e-16 * std::fabs(std::log(x)))
        << x;
  }
  EXPECT_EQ(PortableLog(1), 0);
}

// Computed by an implementation of Philox and of the formulas in Python.
TEST(RowInitializerTest, KnownAnswers) {
  const InitialValueOptions uniform{InitialKind::kUniform, -1, 3, 7};
  EXPECT_EQ(RowOf<double>(uniform, 0, 100, 3, DType::kFloat64),
            (std::vector<double>{0x1.6ce77aeeb9decp+1, 0x1.3e9ee4ed540ecp+0,
                                 0x1.c6eba8f8163e6p-1}));
  EXPECT_EQ(RowOf<double>(uniform, 1, 100, 3, DType::kFloat64),
            (std::vector<double>{0x1.cd20fa2de7172p-1, 0x1.71c95df2f2792p+1,
                                 0x1.3310826040690p+0}));
  EXPECT_EQ(
      RowOf<double>(uniform, 5'000'000'007, 10'000'000'000, 3, DType::kFloat64),
      (std::vector<double>{0x1.2b4a940bfbf56p+1, 0x1.65d0f20d78440p+0,
                           0x1.1f56bd6695b0cp-2}));
  EXPECT_EQ(RowOf<uint32_t>(uniform, 0, 100, 3, DType::kFloat32),
            (std::vector<uint32_t>{0x403673bd, 0x3f9f4f72, 0x3f6375d4}));
  const InitialValueOptions xavier{InitialKind::kXavierUniform, 1.5, 0, 7};
  EXPECT_EQ(
      RowOf<double>(xavier, 5'000'000'007, 10'000'000'000, 3, DType::kFloat64),
      (std::vector<double>{0x1.9c75d78e58d8cp-16, 0x1.ea55fbb733ef8p-18,
                           -0x1.bb75cca570aeap-17}));
  const InitialValueOptions normal{InitialKind::kNormal, 0.5, 2, 7};
  const auto row = RowOf<double>(normal, 1, 100, 3, DType::kFloat64);
  const std::vector<double> expected = {
      0x1.806700a3a2646p-2, 0x1.15175d83ab3c0p+2, 0x1.8055b95404936p-1};
  for (size_t c = 0; c < 3; ++c) EXPECT_NEAR(row[c], expected[c], 1e-15);
}

TEST(RowInitializerTest, TheTypeOfOnesIsTheTensors) {
  const InitialValueOptions ones{InitialKind::kOnes};
  EXPECT_EQ(RowOf<float>(ones, 3, 9, 2, DType::kFloat32),
            (std::vector<float>{1, 1}));
  EXPECT_EQ(RowOf<int64_t>(ones, 3, 9, 2, DType::kInt64),
            (std::vector<int64_t>{1, 1}));
  EXPECT_EQ(RowOf<uint8_t>(ones, 3, 9, 0, DType::kBool),
            (std::vector<uint8_t>{1}));
  EXPECT_EQ(RowOf<uint16_t>(ones, 3, 9, 1, DType::kFloat16),
            (std::vector<uint16_t>{0x3c00}));
  EXPECT_EQ(RowOf<uint16_t>(ones, 3, 9, 1, DType::kBFloat16),
            (std::vector<uint16_t>{0x3f80}));
}

TEST(RowInitializerTest, ValuesDependOnNameSeedRowAndColumn) {
  const InitialValueOptions uniform{InitialKind::kUniform, 0, 1, 7};
  const auto row = RowOf<double>(uniform, 4, 100, 4, DType::kFloat64);
  InitialValueOptions other = uniform;
  other.random_seed = 8;
  EXPECT_NE(row, RowOf<double>(other, 4, 100, 4, DType::kFloat64));
  EXPECT_NE(row, RowOf<double>(uniform, 5, 100, 4, DType::kFloat64));
  EXPECT_NE(row, RowOf<double>(uniform, 4, 100, 4, DType::kFloat64, "other"));
  EXPECT_NE(row, RowOf<double>(uniform, 4 + (uint64_t{1} << 32),
                               uint64_t{1} << 40, 4, DType::kFloat64));
  for (size_t c = 1; c < 4; ++c) EXPECT_NE(row[0], row[c]);
  // The number of rows and columns changes nothing but xavier's bound.
  const auto wide = RowOf<double>(uniform, 4, 1000, 5, DType::kFloat64);
  EXPECT_TRUE(std::equal(row.begin(), row.end(), wide.begin()));
}

TEST(RowInitializerTest, UniformValuesSpreadEvenly) {
  constexpr int kBins = 64, kRows = 4000, kDim = 16;
  std::array<int, kBins> count{};
  const InitialValueOptions options{InitialKind::kUniform, 2, 6, 1};
  for (uint64_t row = 0; row < kRows; ++row) {
    for (float x : RowOf<float>(options, row, kRows, kDim, DType::kFloat32)) {
      ASSERT_GE(x, 2);
      ASSERT_LE(x, 6);
      ++count[std::min(kBins - 1, static_cast<int>((x - 2) / 4 * kBins))];
    }
  }
  double chi_square = 0;
  const double expected = 1.0 * kRows * kDim / kBins;
  for (int c : count) chi_square += (c - expected) * (c - expected) / expected;
  EXPECT_LT(chi_square, 103.4);  // 63 degrees of freedom, p = 0.001
}

TEST(RowInitializerTest, NormalValuesFollowTheirDistribution) {
  std::vector<double> values;
  const InitialValueOptions options{InitialKind::kNormal, 3, 0.5, 1};
  for (uint64_t row = 0; row < 2000; ++row) {
    for (double x : RowOf<double>(options, row, 2000, 10, DType::kFloat64)) {
      values.push_back((x - 3) / 0.5);
    }
  }
  std::sort(values.begin(), values.end());
  double distance = 0;  // Kolmogorov-Smirnov
  const auto n = static_cast<double>(values.size());
  for (size_t i = 0; i < values.size(); ++i) {
    const double cdf = std::erfc(-values[i] / std::sqrt(2.0)) / 2;
    const auto at = static_cast<double>(i);
    distance = std::max({distance, cdf - at / n, (at + 1) / n - cdf});
  }
  EXPECT_LT(distance, 1.95 / std::sqrt(n));  // p = 0.001
}

TEST(RowInitializerTest, RefusesWhatMakesNoSense) {
  const auto error = [](InitialValueOptions options, uint32_t dim,
                        DType dtype) {
    return std::string(RowInitializer::Create(options, "t", 10, dim, dtype)
                           .status()
                           .message());
  };
  EXPECT_THAT(error({InitialKind::kUniform, 0, 1}, 2, DType::kInt32),
              HasSubstr("dtype int32"));
  EXPECT_THAT(error({InitialKind::kUniform, 2, 1}, 2, DType::kFloat32),
              HasSubstr("the lower end comes first"));
  EXPECT_THAT(
      error({InitialKind::kUniform, -1.7e308, 1.7e308}, 2, DType::kFloat32),
      HasSubstr("the lower end comes first"));
  EXPECT_THAT(error({InitialKind::kNormal, 0, -1}, 2, DType::kFloat32),
              HasSubstr("standard deviation of -1"));
  EXPECT_THAT(error({InitialKind::kNormal, NAN, 1}, 2, DType::kFloat32),
              HasSubstr("finite"));
  EXPECT_THAT(error({InitialKind::kXavierUniform, 1}, 0, DType::kFloat32),
              HasSubstr("rows and columns"));
}

}  // namespace
}  // namespace tributary
