// Batches as torch tensors, under PyG's names and without copying. For example:
//
//   ASSIGN_OR_RETURN(const TorchBatch batch, ToTorchBatch(*lease));
//   at::Tensor x = Dequantized(batch.x, batch.x_scale);
#ifndef TRIBUTARY_TRAINER_CLIENT_TORCH_BATCH_TENSORS_TORCH_BATCH_H_
#define TRIBUTARY_TRAINER_CLIENT_TORCH_BATCH_TENSORS_TORCH_BATCH_H_

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

// Returns a CPU tensor over the view's bytes, which keeps `room` alive until
// the last tensor that shares its storage is destroyed. Writing to it writes to
// the slot, which belongs to the caller. INVALID_ARGUMENT if size and shape
// disagree.
absl::StatusOr<at::Tensor> ToTorch(const TensorView& view,
                                   std::shared_ptr<const void> room);

// Returns every tensor of the batch by name, also typed names ("x/person",
// "edge_index/a__to__b"). The tensors keep the slot: the lease may be dropped.
absl::StatusOr<std::map<std::string, at::Tensor>> ToTorchTensors(
    const BatchLease& lease);

// A batch of a homogeneous graph. Its tensors share the batch's slot and keep
// it.
struct TorchBatch {
  uint64_t index = 0;      // of the batch, within its epoch
  int64_t batch_size = 0;  // distinct inputs: nodes [0, batch_size)
  at::Tensor n_id;         // int64 [N]
  at::Tensor e_id;         // int64 [E]; undefined with omit_edge_ids
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
  // All tensors above, including undefined ones.
  std::array<at::Tensor*, 10> tensors();
  // Copies the tensors to `device` and waits for the copies: the slot is free
  // once this batch is destroyed. DeviceCopies copies without waiting.
  TorchBatch To(const c10::Device& device) const;
};

// Returns features as float32 on their device; each row times its scale unless
// `scale` is undefined.
at::Tensor Dequantized(const at::Tensor& rows, const at::Tensor& scale);

// Returns the batch's tensors. INVALID_ARGUMENT, naming the tensor, for a typed
// batch (of a heterogeneous graph) or one whose tensors contradict each other.
absl::StatusOr<TorchBatch> ToTorchBatch(const BatchLease& lease);

}  // namespace tributary

#endif  // TRIBUTARY_TRAINER_CLIENT_TORCH_BATCH_TENSORS_TORCH_BATCH_H_
