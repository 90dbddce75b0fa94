// Distributed data parallel training: equal parameters on every rank.
#ifndef TRIBUTARY_TRAINER_CLIENT_TORCH_DDP_DDP_H_
#define TRIBUTARY_TRAINER_CLIENT_TORCH_DDP_DDP_H_

#include <ATen/core/Tensor.h>

#include <cstdint>
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
//
//   ASSIGN_OR_RETURN(auto ddp, DistributedDataParallel::Create(
//       model->parameters(), group));
//   torch::optim::Adam optimizer(model->parameters());
//   for (uint64_t round = 0; round < loader->rounds(); ++round) {
//     ASSIGN_OR_RETURN(std::optional<BatchLease> batch, loader->Next());
//     optimizer.zero_grad();
//     RETURN_IF_ERROR(batch.has_value() ? ddp->Backward(LossOf(*batch))
//                                       : ddp->BackwardOfNothing());
//     optimizer.step();
//   }
class DistributedDataParallel {
 public:
  // Overwrites the parameters with those of rank 0. Each must require a
  // gradient. `group` must outlive the object.
  static absl::StatusOr<std::unique_ptr<DistributedDataParallel>> Create(
      std::vector<at::Tensor> parameters, ProcessGroup* group);
  ~DistributedDataParallel();

  // Sets each parameter's grad to the mean of the gradients of the ranks'
  // losses: zeros where no loss depends on the parameter, such as the weights
  // of relations that a batch lacks. What grads hold before is added to this
  // rank's gradients, as in Python: clear them by Optimizer::zero_grad or
  // Module::zero_grad. Grads lie in the reducer's buckets, which the next call
  // overwrites: clone what must outlive it. Calls `computed`, if set, once this
  // rank's own gradients are computed: what follows is the rest of the
  // all-reduce, which the backward pass did not hide.
  absl::Status Backward(const at::Tensor& loss,
                        std::function<void()> computed = {});
  // Adds the gradients of this rank's loss to the parameters' grads; the next
  // Backward() or BackwardOfNothing() averages the sums over the ranks, as
  // after Python's no_sync(). Ranks may call it different numbers of times.
  absl::Status Accumulate(const at::Tensor& loss);
  // Contributes gradients of zero, as Backward() of a constant loss would.
  absl::Status BackwardOfNothing(std::function<void()> computed = {});

  // Returns how many bytes of gradients were copied into buckets so far: each
  // gradient once for each time that it was unset before, since autograd makes
  // a tensor of its own then. Gradients that were set to zeros are added where
  // they are.
  uint64_t copied_bytes() const { return copied_bytes_; }

 private:
  struct Reduction;
  DistributedDataParallel(std::vector<at::Tensor> parameters,
                          std::unique_ptr<Reduction> reduction);
  // Returns the bytes of the gradients that the reducer will copy.
  uint64_t BytesOutsideBuckets() const;
  void LetGradientsBeCleared();

  const std::vector<at::Tensor> parameters_;
  const std::unique_ptr<Reduction> reduction_;  // null in a group of one
  uint64_t copied_bytes_ = 0;
};

}  // namespace tributary

#endif  // TRIBUTARY_TRAINER_CLIENT_TORCH_DDP_DDP_H_
