// Distributed data parallel training: equal parameters on every rank.
#ifndef TRIBUTARY_TRAINER_CLIENT_TORCH_DDP_DDP_H_
#define TRIBUTARY_TRAINER_CLIENT_TORCH_DDP_DDP_H_

#include <ATen/core/Tensor.h>

#include <functional>
#include <memory>
#include <vector>

#include "absl/status/statusor.h"
#include "trainer_client/torch/ddp/process_group.h"

namespace tributary {

// Averages gradients over the ranks by LibTorch's Reducer, as Python's
// DistributedDataParallel does: in buckets, while the backward pass still runs
// (Li et al.: PyTorch Distributed, VLDB 2020). Unlike there, buckets keep the
// order of the parameters for the whole run: a run that is resumed sums in the
// same order and gives the same bits. Every rank must take part in
// every round; a rank without a batch calls BackwardOfNothing(), as with
// Python's Join. Used by one thread. Errors are those of ProcessGroup; INTERNAL
// for LibTorch's exceptions.
class DistributedDataParallel {
 public:
  // Overwrites the parameters with those of rank 0. Each must require a
  // gradient. `group` must outlive the object.
  static absl::StatusOr<std::unique_ptr<DistributedDataParallel>> Create(
      std::vector<at::Tensor> parameters, ProcessGroup* group);
  ~DistributedDataParallel();

  // Sets each parameter's grad to the mean of the gradients of the ranks'
  // losses: zeros where no loss depends on the parameter, such as the weights
  // of relations that a batch lacks. Grads must be unset before, or be sums of
  // Accumulate(); Optimizer::zero_grad cannot unset them, since they are views.
  // Calls `computed`, if set, once this rank's own gradients are computed: what
  // follows is the rest of the all-reduce, which the backward pass did not
  // hide.
  absl::Status Backward(const at::Tensor& loss,
                        std::function<void()> computed = {});
  // Adds the gradients of this rank's loss to the parameters' grads; the next
  // Backward() or BackwardOfNothing() averages the sums over the ranks, as
  // after Python's no_sync(). Ranks may call it different numbers of times.
  absl::Status Accumulate(const at::Tensor& loss);
  // Contributes gradients of zero, as Backward() of a constant loss would.
  absl::Status BackwardOfNothing(std::function<void()> computed = {});

 private:
  struct Reduction;
  DistributedDataParallel(std::vector<at::Tensor> parameters,
                          std::unique_ptr<Reduction> reduction);

  const std::vector<at::Tensor> parameters_;
  const std::unique_ptr<Reduction> reduction_;  // null in a group of one
};

}  // namespace tributary

#endif  // TRIBUTARY_TRAINER_CLIENT_TORCH_DDP_DDP_H_
