// Compares gradients with central differences, for tests.
#ifndef TRIBUTARY_TRAINER_CLIENT_TORCH_NN_SEGMENT_TESTING_CENTRAL_DIFFERENCES_H_
#define TRIBUTARY_TRAINER_CLIENT_TORCH_NN_SEGMENT_TESTING_CENTRAL_DIFFERENCES_H_

#include <ATen/ATen.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <vector>

namespace tributary {

// Returns the largest difference between the gradients of `loss` by `inputs`,
// which are float64 leaves with requires_grad, and central differences. An
// input without a gradient has zeros. Leaves gradients in the inputs.
inline double LargestGradientError(const std::function<at::Tensor()>& loss,
                                   const std::vector<at::Tensor>& inputs) {
  constexpr double kStep = 1e-6;
  for (const at::Tensor& input : inputs) input.mutable_grad().reset();
  loss().backward();
  double largest = 0;
  const at::NoGradGuard no_grad;
  for (const at::Tensor& input : inputs) {
    const at::Tensor grad = input.grad().defined()
                                ? input.grad().contiguous()
                                : at::zeros(input.sizes(), input.options());
    auto* values = input.mutable_data_ptr<double>();
    for (int64_t i = 0; i < input.numel(); ++i) {
      const double value = values[i];
      values[i] = value + kStep;
      const double up = loss().item<double>();
      values[i] = value - kStep;
      const double down = loss().item<double>();
      values[i] = value;
      const double slope = (up - down) / (2 * kStep);
      largest =
          std::max(largest, std::abs(grad.const_data_ptr<double>()[i] - slope));
    }
  }
  return largest;
}

}  // namespace tributary

#endif  // TRIBUTARY_TRAINER_CLIENT_TORCH_NN_SEGMENT_TESTING_CENTRAL_DIFFERENCES_H_
