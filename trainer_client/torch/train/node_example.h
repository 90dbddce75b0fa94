// A batch of node classification as a model takes it.
#ifndef TRIBUTARY_TRAINER_CLIENT_TORCH_TRAIN_NODE_EXAMPLE_H_
#define TRIBUTARY_TRAINER_CLIENT_TORCH_TRAIN_NODE_EXAMPLE_H_

#include <ATen/core/Tensor.h>
#include <c10/core/Device.h>

#include <cstdint>
#include <vector>

#include "absl/status/statusor.h"
#include "trainer_client/core/batch/batch_lease.h"
#include "trainer_client/torch/nn/graph_sage.h"
#include "trainer_client/torch/tensors/device_copies.h"
#include "trainer_client/torch/tensors/tensors.h"
#include "trainer_client/torch/train/train_options.h"

namespace tributary {

// The label of an input without one.
inline constexpr int64_t kNoLabel = -1;

// A batch's tensors on the model's device, which own their memory.
struct NodeExample {
  at::Tensor x;                    // float [nodes, channels]
  std::vector<TorchBlock> blocks;  // one per layer
  at::Tensor positions;            // int32 [inputs]: each input's row of x
  at::Tensor labels;               // int64 [inputs]
  int64_t labelled = 0;            // inputs whose label is not kNoLabel
  int64_t inputs = 0;
};

// Returns the label of each input, int64 [inputs], on the CPU. INVALID_ARGUMENT
// when the graph's labels are not one whole number per node.
absl::StatusOr<at::Tensor> InputLabels(const TorchBatch& batch);

// Copies the batch to `device` by `copies`, which keeps the lease alive as long
// as copies read from it. INVALID_ARGUMENT without features or labels to train
// on, OUT_OF_RANGE for a label that is neither kNoLabel nor below
// `num_classes`, INTERNAL for what the device reports. May throw what LibTorch
// throws.
absl::StatusOr<NodeExample> MakeNodeExample(const BatchLease& lease,
                                            const TrainOptions& options,
                                            int64_t num_classes,
                                            const c10::Device& device,
                                            DeviceCopies& copies);

}  // namespace tributary

#endif  // TRIBUTARY_TRAINER_CLIENT_TORCH_TRAIN_NODE_EXAMPLE_H_
