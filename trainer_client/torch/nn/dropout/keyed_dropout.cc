#include "trainer_client/torch/nn/dropout/keyed_dropout.h"

#include <ATen/ATen.h>

#include "absl/types/span.h"
#include "trainer_client/torch/nn/dropout/dropout_mask.h"

namespace tributary {
namespace {

// The finaliser of splitmix64.
uint64_t Mix(uint64_t z) {
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
  z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
  return z ^ (z >> 31);
}

// The mask, with 1 / (1 - p) for the values that are kept.
at::Tensor MaskOnCpu(at::IntArrayRef sizes, const at::TensorOptions& options,
                     double p, uint64_t key) {
  const at::Tensor mask = at::empty(sizes, at::kFloat);
  FillDropoutMask(key, 1 - p, static_cast<float>(1 / (1 - p)),
                  absl::MakeSpan(mask.mutable_data_ptr<float>(),
                                 static_cast<size_t>(mask.numel())));
  return mask.to(options);
}

at::Tensor MaskOnGpu(at::IntArrayRef sizes, const at::TensorOptions& options,
                     double p, uint64_t key) {
  at::Generator generator =
      at::globalContext().defaultGenerator(options.device()).clone();
  generator.set_current_seed(key);
  return at::empty(sizes, options)
      .bernoulli_(1 - p, generator)
      .mul_(1 / (1 - p));
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
  const at::TensorOptions options =
      x.options().dtype(at::promote_types(x.scalar_type(), at::kFloat));
  const at::Tensor mask = x.is_cpu() ? MaskOnCpu(x.sizes(), options, p, key)
                                     : MaskOnGpu(x.sizes(), options, p, key);
  return (x * mask).to(x.scalar_type());
}

}  // namespace tributary
