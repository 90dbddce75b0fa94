// Copies a tensor's values to the rows of an evaluation.
#ifndef TRIBUTARY_TRAINER_CLIENT_TORCH_TASKS_APPEND_FLOATS_H_
#define TRIBUTARY_TRAINER_CLIENT_TORCH_TASKS_APPEND_FLOATS_H_

#include <ATen/core/Tensor.h>

#include <vector>

namespace tributary {

// Appends all values in row-major order, as float32.
inline void AppendFloats(const at::Tensor& values, std::vector<float>* to) {
  const at::Tensor cpu = values.detach().to(at::kCPU, at::kFloat).contiguous();
  const float* data = cpu.const_data_ptr<float>();
  to->insert(to->end(), data, data + cpu.numel());
}

}  // namespace tributary

#endif  // TRIBUTARY_TRAINER_CLIENT_TORCH_TASKS_APPEND_FLOATS_H_
