// Initial values of parameters as PyG draws them.
#ifndef TRIBUTARY_TRAINER_CLIENT_TORCH_NN_CONV_GLOROT_H_
#define TRIBUTARY_TRAINER_CLIENT_TORCH_NN_CONV_GLOROT_H_

#include <ATen/ATen.h>

#include <cmath>

namespace tributary {

// Returns a new tensor of values that are uniform in [-a, a), a = sqrt(6 / (sum
// of its last two sizes)): PyG's inits.glorot. Draws from the default
// generator.
inline at::Tensor Glorot(at::IntArrayRef shape) {
  const double sizes =
      static_cast<double>(shape[shape.size() - 2] + shape[shape.size() - 1]);
  const double bound = std::sqrt(6.0 / sizes);
  return at::empty(shape).uniform_(-bound, bound);
}

}  // namespace tributary

#endif  // TRIBUTARY_TRAINER_CLIENT_TORCH_NN_CONV_GLOROT_H_
