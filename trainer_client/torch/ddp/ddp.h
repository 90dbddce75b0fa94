// Distributed data parallel training: equal parameters on every rank.
#ifndef TRIBUTARY_TRAINER_CLIENT_TORCH_DDP_DDP_H_
#define TRIBUTARY_TRAINER_CLIENT_TORCH_DDP_DDP_H_

#include <ATen/core/Tensor.h>

#include <memory>
#include <vector>

#include "absl/status/statusor.h"
#include "trainer_client/torch/ddp/process_group.h"

namespace tributary {

// LibTorch's Reducer under Python's DistributedDataParallel: gradients are
// averaged in buckets while the backward pass still runs (Li et al.: PyTorch
// Distributed, VLDB 2020). Every rank takes part in every round, one that has
// no batch by BackwardOfNothing: the meaning of Python's Join.
class DistributedDataParallel {
 public:
  // Makes the parameters equal to rank 0's. Each must need a gradient and take
  // part in every loss. `group` outlives the object.
  static absl::StatusOr<std::unique_ptr<DistributedDataParallel>> Create(
      std::vector<at::Tensor> parameters, ProcessGroup* group);
  ~DistributedDataParallel();

  // Afterwards each parameter's grad is the mean over the ranks of what their
  // losses gave. Grads must be unset before (Optimizer::zero_grad
  // fails on them: they are views).
  absl::Status Backward(const at::Tensor& loss);
  // As Backward of a loss that is 0 whatever the parameters are.
  absl::Status BackwardOfNothing();

 private:
  struct Reduction;
  DistributedDataParallel(std::vector<at::Tensor> parameters,
                          std::unique_ptr<Reduction> reduction);

  const std::vector<at::Tensor> parameters_;
  const std::unique_ptr<Reduction> reduction_;  // null in a group of one
};

}  // namespace tributary

#endif  // TRIBUTARY_TRAINER_CLIENT_TORCH_DDP_DDP_H_
