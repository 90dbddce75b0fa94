#include "trainer_client/torch/nn/dropout/keyed_dropout.h"

#include <ATen/ATen.h>
#include <ATen/CPUGeneratorImpl.h>

namespace tributary {
namespace {

// The finaliser of splitmix64.
uint64_t Mix(uint64_t z) {
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
  z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
  return z ^ (z >> 31);
}

at::Generator GeneratorOf(uint64_t key, const c10::Device& device) {
  if (device.is_cpu()) return at::detail::createCPUGenerator(key);
  at::Generator generator =
      at::globalContext().defaultGenerator(device).clone();
  generator.set_current_seed(key);
  return generator;
}

}  // namespace

uint64_t LayerDrawKey(uint64_t draw_key, uint64_t layer, uint64_t type) {
  constexpr uint64_t kGamma = 0x9e3779b97f4a7c15;
  return Mix(Mix(Mix(draw_key + kGamma) + (layer + 1) * kGamma) +
             (type + 1) * kGamma);
}

at::Tensor KeyedDropout(const at::Tensor& x, double p, bool training,
                        uint64_t key) {
  if (!training || p == 0 || x.numel() == 0) return x;
  if (p == 1) return x * 0;
  // Half precision would round 1 / (1 - p), and all that is kept with it.
  const at::ScalarType type = at::promote_types(x.scalar_type(), at::kFloat);
  const at::Tensor mask = at::empty(x.sizes(), x.options().dtype(type))
                              .bernoulli_(1 - p, GeneratorOf(key, x.device()))
                              .mul_(1 / (1 - p));
  return (x * mask).to(x.scalar_type());
}

}  // namespace tributary
