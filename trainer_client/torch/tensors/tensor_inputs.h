// Tensors as what a loader's batches start from: PyG's argument types.
#ifndef TRIBUTARY_TRAINER_CLIENT_TORCH_TENSORS_TENSOR_INPUTS_H_
#define TRIBUTARY_TRAINER_CLIENT_TORCH_TENSORS_TENSOR_INPUTS_H_

#include <ATen/core/Tensor.h>

#include "absl/status/status.h"
#include "trainer_client/core/dist_link_neighbor_loader.h"
#include "trainer_client/core/dist_neighbor_loader.h"

namespace tributary {

// Of any device, contiguous or not; all are copied. INVALID_ARGUMENT, naming
// the option, for another dtype or shape, and leaves the options as they were.

// PyG's input_nodes: original ids, int64 or int32 [n], or a mask, bool [nodes].
absl::Status SetInputNodes(const at::Tensor& nodes,
                           CommonLoaderOptions* options);
// PyG's input_time: int64 [n].
absl::Status SetInputTime(const at::Tensor& time,
                          NeighborLoaderOptions* options);
// Of PyTorch's WeightedRandomSampler: float64 or float32 [n].
absl::Status SetInputWeight(const at::Tensor& weight,
                            CommonLoaderOptions* options);

// Of links of one edge type, or of one of by_edge_type.
// PyG's edge_label_index: int64 [2, n], sources then destinations.
absl::Status SetEdgeLabelIndex(const at::Tensor& index, EdgeTypeLinks* options);
// PyG's edge_label: int64 or float32 [n].
absl::Status SetEdgeLabel(const at::Tensor& label, EdgeTypeLinks* options);
// int64 [n]
absl::Status SetEdgeLabelTime(const at::Tensor& time, EdgeTypeLinks* options);
// OGB's lists, destinations for each link: int64 [n, amount], which is what
// neg_sampling.amount becomes.
absl::Status SetNegDestination(const at::Tensor& destinations,
                               LinkNeighborLoaderOptions* options);
// The same of one of several edge types.
absl::Status SetNegDestination(const at::Tensor& destinations,
                               EdgeTypeLinks* links,
                               NegativeSampling* negatives);

}  // namespace tributary

#endif  // TRIBUTARY_TRAINER_CLIENT_TORCH_TENSORS_TENSOR_INPUTS_H_
