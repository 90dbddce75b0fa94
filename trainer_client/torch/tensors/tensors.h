// Batches as torch tensors, under PyG's names and without copying.
#ifndef TRIBUTARY_TRAINER_CLIENT_TORCH_TENSORS_TENSORS_H_
#define TRIBUTARY_TRAINER_CLIENT_TORCH_TENSORS_TENSORS_H_

#include <ATen/core/Tensor.h>

#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "common/tensor/tensor_view.h"
#include "trainer_client/core/batch/batch_lease.h"

namespace tributary {

// A CPU tensor over the view's bytes; `room` lives until the last tensor that
// shares the storage is gone. Writing to it writes to the slot: the caller's
// own. INVALID_ARGUMENT when size and shape disagree.
absl::StatusOr<at::Tensor> ToTorch(const TensorView& view,
                                   std::shared_ptr<const void> room);

// Every tensor of the batch, typed names included ("x/person",
// "edge_index/a__to__b"). The lease may be dropped at once.
absl::StatusOr<std::map<std::string, at::Tensor>> ToTorchTensors(
    const BatchLease& lease);

// A batch of a homogeneous graph.
struct TorchBatch {
  uint64_t index = 0;      // of the batch, within its epoch
  int64_t batch_size = 0;  // distinct inputs: nodes [0, batch_size)
  at::Tensor n_id;         // int64 [N]
  at::Tensor e_id;         // int64 [E]
  at::Tensor input_id;     // int64 [positions]
  at::Tensor seed_index;   // int32 [positions], node of each input
  at::Tensor edge_index;   // int32 [2, E]
  at::Tensor x;            // [N, F]; undefined when the graph has none
  // float32 [N]; undefined unless x came as int8. See Dequantized.
  at::Tensor x_scale;
  at::Tensor y;                // [N] or [N, C]; undefined when it has none
  at::Tensor edge_attr;        // [E, D]; undefined when it has none
  at::Tensor edge_attr_scale;  // float32 [E]; likewise
  std::vector<int64_t> num_sampled_nodes;  // [hops + 1], sums to N
  std::vector<int64_t> num_sampled_edges;  // [hops], sums to E

  int64_t num_positions() const { return input_id.numel(); }
  // All of the above, undefined ones too.
  std::array<at::Tensor*, 10> tensors();
  // Tensors on `device`, copied when this returns: their slot is free as soon
  // as these here are gone. DeviceCopies does not wait for them.
  TorchBatch To(const c10::Device& device) const;
};

// Features as float32, on their device: as they are where `scale` is undefined,
// else each row times its scale.
at::Tensor Dequantized(const at::Tensor& rows, const at::Tensor& scale);

// INVALID_ARGUMENT for a typed batch (say, of a heterogeneous graph) or one
// whose tensors contradict each other; the message names the tensor.
absl::StatusOr<TorchBatch> ToTorchBatch(const BatchLease& lease);

}  // namespace tributary

#endif  // TRIBUTARY_TRAINER_CLIENT_TORCH_TENSORS_TENSORS_H_
