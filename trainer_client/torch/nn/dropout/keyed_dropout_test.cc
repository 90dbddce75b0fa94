#include "trainer_client/torch/nn/dropout/keyed_dropout.h"

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include <set>

namespace tributary {
namespace {

at::Tensor Mask(uint64_t key, double p = 0.5) {
  return KeyedDropout(at::ones({200, 300}), p, /*training=*/true, key);
}

TEST(KeyedDropoutTest, EqualKeysGiveEqualMasksWhateverTheDefaultGenerator) {
  at::manual_seed(1);
  const at::Tensor first = Mask(LayerDrawKey(7, 1, 0));
  at::manual_seed(2);
  EXPECT_TRUE(at::equal(Mask(LayerDrawKey(7, 1, 0)), first));
}

// 1 / 0.7 is no number of bfloat16; 3 / 0.7 is rounded once.
TEST(KeyedDropoutTest, HalfPrecisionHasTheMaskOfFloat32) {
  const at::Tensor x = at::full({200, 30}, 3, at::kBFloat16);
  const at::Tensor half = KeyedDropout(x, 0.3, /*training=*/true, 5);
  EXPECT_EQ(half.scalar_type(), at::kBFloat16);
  EXPECT_TRUE(at::equal(
      half, KeyedDropout(x.to(at::kFloat), 0.3, true, 5).to(at::kBFloat16)));
  EXPECT_GT((half == 0).sum().item<int64_t>(), 0);
}

TEST(KeyedDropoutTest, LeavesTheDefaultGenerator) {
  at::manual_seed(1);
  const at::Tensor expected = at::rand({4});
  at::manual_seed(1);
  Mask(3);
  EXPECT_TRUE(at::equal(at::rand({4}), expected));
}

TEST(KeyedDropoutTest, BatchLayerAndTypeChangeTheMask) {
  const at::Tensor first = Mask(LayerDrawKey(7, 1, 0));
  for (const uint64_t key :
       {LayerDrawKey(8, 1, 0), LayerDrawKey(7, 2, 0), LayerDrawKey(7, 1, 1),
        LayerDrawKey(7, 0, 1), LayerDrawKey(7, 1, kRelationDraws)}) {
    // Independent masks of p = 0.5 agree in half of 60,000 places; the standard
    // deviation is 122.
    const auto equal = (Mask(key) == first).sum().item<int64_t>();
    EXPECT_NEAR(static_cast<double>(equal), 30000, 600);
  }
}

TEST(KeyedDropoutTest, KeysOfSmallNumbersDiffer) {
  std::set<uint64_t> keys;
  for (uint64_t draw = 0; draw < 20; ++draw) {
    for (uint64_t layer = 0; layer < 20; ++layer) {
      for (uint64_t type = 0; type < 20; ++type) {
        keys.insert(LayerDrawKey(draw, layer, type));
      }
    }
  }
  EXPECT_EQ(keys.size(), 8000u);
}

TEST(KeyedDropoutTest, DropsAtTheRateAndKeepsTheMean) {
  for (const double p : {0.1, 0.5, 0.8}) {
    const at::Tensor out = Mask(LayerDrawKey(3, 0, 0), p);
    const auto kept = (out != 0).sum().item<int64_t>();
    EXPECT_NEAR(static_cast<double>(kept) / 60000, 1 - p, 0.01);
    EXPECT_NEAR(out.max().item<double>(), 1 / (1 - p), 1e-5);
  }
}

TEST(KeyedDropoutTest, GradientsHaveTheMask) {
  const at::Tensor x = at::randn({30, 20}).requires_grad_();
  const at::Tensor out = KeyedDropout(x, 0.5, true, 9);
  out.sum().backward();
  EXPECT_TRUE(at::equal(x.grad() != 0, out != 0));
}

TEST(KeyedDropoutTest, InputItselfInEvaluation) {
  const at::Tensor x = at::randn({3, 2});
  EXPECT_TRUE(KeyedDropout(x, 0.5, /*training=*/false, 1).is_same(x));
  EXPECT_TRUE(KeyedDropout(x, 0, /*training=*/true, 1).is_same(x));
}

}  // namespace
}  // namespace tributary
