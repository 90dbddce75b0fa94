#include "trainer_client/torch/nn/segment/segment_kernels.h"

#include <gtest/gtest.h>

#include <cstring>
#include <random>
#include <vector>

namespace tributary {
namespace {

// A block of 200 rows of 0 to 11 edges each, over 64 rows of an input.
struct Block {
  Block() {
    std::mt19937 random(7);
    indptr.push_back(0);
    for (int row = 0; row < 200; ++row) {
      for (uint32_t k = random() % 12; k > 0; --k) {
        index.push_back(static_cast<int32_t>(random() % 64));
      }
      indptr.push_back(static_cast<int32_t>(index.size()));
    }
  }
  SegmentRows rows() const {
    return {indptr.data(), index.data(), static_cast<int64_t>(index.size())};
  }
  std::vector<int32_t> indptr;
  std::vector<int32_t> index;
};

template <typename T>
std::vector<T> Noise(size_t count, uint32_t seed) {
  std::mt19937 random(seed);
  std::normal_distribution<T> normal;
  std::vector<T> values(count);
  for (T& v : values) v = normal(random);
  return values;
}

template <typename T>
class SegmentKernelsTest : public ::testing::Test {};
using Types = ::testing::Types<float, double>;
TYPED_TEST_SUITE(SegmentKernelsTest, Types);

// 3 heads of 19 columns: no multiple of any vector.
constexpr int64_t kHeads = 3;
constexpr int64_t kColumns = 19;
constexpr int64_t kWidth = kHeads * kColumns;

template <typename T>
struct Results {
  std::vector<T> sums = std::vector<T>(200 * kWidth);
  std::vector<T> maxima = std::vector<T>(200 * kWidth);
  std::vector<int32_t> arg = std::vector<int32_t>(200 * kWidth);
  std::vector<T> dots;
};

template <typename T>
Results<T> Run(const SegmentKernels<T>& kernels, const Block& block) {
  const std::vector<T> x = Noise<T>(64 * kWidth, 1);
  const std::vector<T> g = Noise<T>(200 * kWidth, 2);
  const std::vector<T> w = Noise<T>(block.index.size() * kHeads, 3);
  Results<T> r;
  r.dots.resize(w.size());
  const GatherSumArgs<T> sum = {.rows = block.rows(),
                                .heads = kHeads,
                                .columns = kColumns,
                                .x = x.data(),
                                .weights = w.data(),
                                .mean = true,
                                .out = r.sums.data()};
  kernels.gather_sum(sum, 0, 120);
  kernels.gather_sum(sum, 120, 200);
  kernels.gather_max({.rows = block.rows(),
                      .columns = kWidth,
                      .x = x.data(),
                      .out = r.maxima.data(),
                      .arg = r.arg.data()},
                     0, 200);
  kernels.edge_dot({.rows = block.rows(),
                    .heads = kHeads,
                    .columns = kColumns,
                    .x = x.data(),
                    .g = g.data(),
                    .dots = r.dots.data()},
                   0, 200);
  return r;
}

TYPED_TEST(SegmentKernelsTest, AllInstructionSetsGiveEqualBits) {
  const Block block;
  const auto paths = SegmentKernelPaths<TypeParam>();
  const Results<TypeParam> first = Run(paths[0], block);
  for (const auto& path : paths) {
    SCOPED_TRACE(path.name);
    const Results<TypeParam> r = Run(path, block);
    EXPECT_EQ(r.sums, first.sums);
    EXPECT_EQ(r.maxima, first.maxima);
    EXPECT_EQ(r.arg, first.arg);
    EXPECT_EQ(r.dots, first.dots);
  }
}

TYPED_TEST(SegmentKernelsTest, SumsByHand) {
  // Row 0 has the edges to 1, 1, 0, 1, 0 (more than are added at once), row 1
  // none, row 2 the edge to 1. Weights of rows 1, 0, 0, 2, 0 and 1.
  const std::vector<int32_t> indptr{0, 5, 5, 6};
  const std::vector<int32_t> index{1, 1, 0, 1, 0, 1};
  const std::vector<int32_t> weight_row{1, 0, 0, 2, 0, 1};
  const std::vector<TypeParam> x{1, 2, 10, 20};
  const std::vector<TypeParam> weights{1, 3, 5};
  for (const auto& path : SegmentKernelPaths<TypeParam>()) {
    std::vector<TypeParam> out(6, -1);
    GatherSumArgs<TypeParam> args{.rows = {indptr.data(), index.data(), 6},
                                  .columns = 2,
                                  .x = x.data(),
                                  .out = out.data()};
    path.gather_sum(args, 0, 3);
    EXPECT_EQ(out, (std::vector<TypeParam>{32, 64, 0, 0, 10, 20}));
    args.weights = weights.data();
    args.weight_row = weight_row.data();
    path.gather_sum(args, 0, 3);
    EXPECT_EQ(out, (std::vector<TypeParam>{92, 184, 0, 0, 30, 60}));
  }
}

TYPED_TEST(SegmentKernelsTest, MaximaTakeTheFirstOfEqualsAndKeepNan) {
  const TypeParam nan = std::numeric_limits<TypeParam>::quiet_NaN();
  const std::vector<int32_t> indptr{0, 3, 3};
  const std::vector<int32_t> index{0, 1, 2};
  const std::vector<TypeParam> x{1, -3, 5, 1, -4, nan, 1, -2, 7};
  for (const auto& path : SegmentKernelPaths<TypeParam>()) {
    std::vector<TypeParam> out(6);
    std::vector<int32_t> arg(6);
    path.gather_max({.rows = {indptr.data(), index.data(), 3},
                     .columns = 3,
                     .x = x.data(),
                     .out = out.data(),
                     .arg = arg.data()},
                    0, 2);
    EXPECT_EQ(arg, (std::vector<int32_t>{0, 2, 1, -1, -1, -1}));
    EXPECT_EQ(out[0], 1);
    EXPECT_EQ(out[1], -2);
    EXPECT_NE(out[2], out[2]);
    EXPECT_EQ(out[3], 0);
  }
}

}  // namespace
}  // namespace tributary
