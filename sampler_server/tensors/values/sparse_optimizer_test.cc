#include "sampler_server/tensors/values/sparse_optimizer.h"

#include <bit>
#include <cmath>
#include <cstdint>
#include <random>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace tributary {
namespace {

using ::testing::HasSubstr;

// One float32 operation, rounded by the conversion from double: the double
// result of + - * / and sqrt of two floats rounds to the right float (Figueroa,
// "When is double rounding innocuous?", SIGNUM 30, 1995). So no compiler's
// handling of float arithmetic is trusted.
struct F {
  float v;
};
F Of(double x) { return {static_cast<float>(x)}; }
F operator+(F a, F b) { return Of(double{a.v} + double{b.v}); }
F operator-(F a, F b) { return Of(double{a.v} - double{b.v}); }
F operator*(F a, F b) { return Of(double{a.v} * double{b.v}); }
F operator/(F a, F b) { return Of(double{a.v} / double{b.v}); }
F Sqrt(F a) { return Of(std::sqrt(double{a.v})); }

double Power(double base, int exponent) {
  // Exact enough to be rounded to float32 equally: long double, one by one.
  long double power = 1;
  for (int i = 0; i < exponent; ++i) power *= base;
  return static_cast<double>(power);
}

class SparseOptimizerTest : public ::testing::Test {
 protected:
  static constexpr size_t kWidth = 67;  // with a rest after any vector width
  static constexpr int kSteps = 40;

  std::vector<float> Random(float scale) {
    std::normal_distribution<float> normal(0, scale);
    std::vector<float> values(kWidth);
    for (float& value : values) value = normal(random_);
    return values;
  }
  static void ExpectSameBits(const std::vector<float>& a,
                             const std::vector<F>& b) {
    for (size_t i = 0; i < kWidth; ++i) {
      ASSERT_EQ(std::bit_cast<uint32_t>(a[i]), std::bit_cast<uint32_t>(b[i].v))
          << i << ": " << a[i] << " and " << b[i].v;
    }
  }
  static std::vector<F> Copy(const std::vector<float>& values) {
    std::vector<F> copy;
    for (float value : values) copy.push_back({value});
    return copy;
  }

  std::mt19937 random_{1};
  OptimizerStep step_{0.013, 1e-7, 0.9, 0.999, 0.3};
};

TEST_F(SparseOptimizerTest, SgdIsItsFormula) {
  std::vector<float> w = Random(1);
  std::vector<F> expected = Copy(w);
  for (int t = 0; t < kSteps; ++t) {
    const std::vector<float> g = Random(0.1f);
    StepSgd(step_, kWidth, g.data(), w.data());
    for (size_t i = 0; i < kWidth; ++i) {
      expected[i] = expected[i] - Of(0.013) * (Of(0.3) * F{g[i]});
    }
  }
  ExpectSameBits(w, expected);
}

TEST_F(SparseOptimizerTest, AdagradIsItsFormula) {
  std::vector<float> w = Random(1), sum(kWidth);
  std::vector<F> ew = Copy(w), es = Copy(sum);
  for (int t = 0; t < kSteps; ++t) {
    const std::vector<float> g = Random(0.1f);
    StepAdagrad(step_, kWidth, g.data(), w.data(), sum.data());
    for (size_t i = 0; i < kWidth; ++i) {
      const F gradient = Of(0.3) * F{g[i]};
      es[i] = es[i] + gradient * gradient;
      ew[i] = ew[i] - (Of(0.013) * gradient) / (Sqrt(es[i]) + Of(1e-7));
    }
  }
  ExpectSameBits(w, ew);
  ExpectSameBits(sum, es);
}

TEST_F(SparseOptimizerTest, AdamIsItsFormula) {
  std::vector<float> w = Random(1), m(kWidth), v(kWidth);
  std::vector<F> ew = Copy(w), em = Copy(m), ev = Copy(v);
  for (int t = 1; t <= kSteps; ++t) {
    const std::vector<float> g = Random(0.1f);
    StepAdam(step_, t, kWidth, g.data(), w.data(), m.data(), v.data());
    const F bias1 = Of(1 - Power(0.9, t)), bias2 = Of(1 - Power(0.999, t));
    for (size_t i = 0; i < kWidth; ++i) {
      const F gradient = Of(0.3) * F{g[i]};
      em[i] = Of(0.9) * em[i] + Of(1 - 0.9) * gradient;
      ev[i] = Of(0.999) * ev[i] + Of(1 - 0.999) * (gradient * gradient);
      ew[i] = ew[i] -
              (Of(0.013) * (em[i] / bias1)) / (Sqrt(ev[i] / bias2) + Of(1e-7));
    }
  }
  ExpectSameBits(w, ew);
  ExpectSameBits(m, em);
  ExpectSameBits(v, ev);
}

// Worked out by hand: the first step of Adam moves by about lr against the
// gradient's sign, whatever its size.
TEST_F(SparseOptimizerTest, TheFirstStepOfAdamIsTheLearningRate) {
  const std::vector<float> g = {4, -0.5f};
  std::vector<float> w = {1, 1}, m(2), v(2);
  StepAdam({0.25, 0, 0.9, 0.999, 1}, 1, 2, g.data(), w.data(), m.data(),
           v.data());
  EXPECT_NEAR(w[0], 0.75, 1e-6);
  EXPECT_NEAR(w[1], 1.25, 1e-6);
}

TEST_F(SparseOptimizerTest, PowersAreProductsOfSquares) {
  EXPECT_EQ(PowerOf(0.9, 0), 1);
  EXPECT_EQ(PowerOf(0.9, 1), 0.9);
  EXPECT_EQ(PowerOf(0.9, 3), 0.9 * (0.9 * 0.9));
  EXPECT_EQ(PowerOf(0.5, 60), 0x1p-60);
  EXPECT_EQ(PowerOf(0.9, ~uint64_t{0}), 0);
}

TEST_F(SparseOptimizerTest, RefusesParametersOutOfRange) {
  const auto error = [](OptimizerKind kind, OptimizerStep step) {
    return std::string(CheckStep(kind, step).message());
  };
  EXPECT_THAT(error(OptimizerKind::kSgd, {INFINITY}),
              HasSubstr("learning_rate"));
  EXPECT_THAT(error(OptimizerKind::kSgd, {0.1, 0, 0, 0, NAN}),
              HasSubstr("scale"));
  EXPECT_THAT(error(OptimizerKind::kAdagrad, {0.1, -1}), HasSubstr("eps"));
  EXPECT_THAT(error(OptimizerKind::kAdam, {0.1, 0, 1, 0.5}),
              HasSubstr("beta1"));
  EXPECT_THAT(error(OptimizerKind::kAdam, {0.1, 0, 0.5, NAN}),
              HasSubstr("beta2"));
  EXPECT_TRUE(CheckStep(OptimizerKind::kSgd, {0.1, 0, 9, 9, 1}).ok());
}

}  // namespace
}  // namespace tributary
