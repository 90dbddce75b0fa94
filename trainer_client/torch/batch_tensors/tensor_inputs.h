// Sets the inputs of loaders from tensors, the types of PyG's arguments.
#ifndef TRIBUTARY_TRAINER_CLIENT_TORCH_BATCH_TENSORS_TENSOR_INPUTS_H_
#define TRIBUTARY_TRAINER_CLIENT_TORCH_BATCH_TENSORS_TENSOR_INPUTS_H_

#include <ATen/core/Tensor.h>

#include "absl/status/status.h"
#include "trainer_client/core/dist_link_neighbor_loader.h"
#include "trainer_client/core/dist_neighbor_loader.h"

namespace tributary {

// All functions copy the tensor, which may be on any device and need not be
// contiguous. They return INVALID_ARGUMENT, naming the option, for another
// dtype or shape, and leave the options unchanged then. For example:
//
//   NeighborLoaderOptions options;
//   RETURN_IF_ERROR(SetInputNodes(train_mask, &options));

// PyG's input_nodes: original ids, int64 or int32 [n], or a mask, bool [nodes].
absl::Status SetInputNodes(const at::Tensor& nodes,
                           CommonLoaderOptions* options);
// PyG's input_time: int64 [n].
absl::Status SetInputTime(const at::Tensor& time,
                          NeighborLoaderOptions* options);
// PyTorch's WeightedRandomSampler weights: float64 or float32 [n].
absl::Status SetInputWeight(const at::Tensor& weight,
                            CommonLoaderOptions* options);

// The functions below set the links of one edge type, which may be one of
// by_edge_type.

// PyG's edge_label_index: int64 [2, n], sources then destinations.
absl::Status SetEdgeLabelIndex(const at::Tensor& index, EdgeTypeLinks* options);
// PyG's edge_label: int64 or float32 [n].
absl::Status SetEdgeLabel(const at::Tensor& label, EdgeTypeLinks* options);
// PyG's edge_label_time: int64 [n].
absl::Status SetEdgeLabelTime(const at::Tensor& time, EdgeTypeLinks* options);
// The user's own negatives, as OGB has them: destinations for each link, int64
// [n, amount]. Sets neg_sampling.amount.
absl::Status SetNegDestination(const at::Tensor& destinations,
                               LinkNeighborLoaderOptions* options);
// Sets the negatives of one of several edge types, and negatives->amount.
absl::Status SetNegDestination(const at::Tensor& destinations,
                               EdgeTypeLinks* links,
                               NegativeSampling* negatives);

}  // namespace tributary

#endif  // TRIBUTARY_TRAINER_CLIENT_TORCH_BATCH_TENSORS_TENSOR_INPUTS_H_
