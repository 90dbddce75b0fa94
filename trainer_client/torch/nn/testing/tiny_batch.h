// Batches of graphs that a test draws by hand.
#ifndef TRIBUTARY_TRAINER_CLIENT_TORCH_NN_TESTING_TINY_BATCH_H_
#define TRIBUTARY_TRAINER_CLIENT_TORCH_NN_TESTING_TINY_BATCH_H_

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <utility>
#include <vector>

#include "trainer_client/torch/batch_tensors/mini_batch.h"

namespace tributary {

// A batch of two hops and what it was made of.
struct TinyGraph {
  TypeTable types;
  // By node type: the nodes after hop 0 (the inputs), 1 and 2, cumulated.
  std::vector<std::vector<int64_t>> nodes;
  // By relation: source, destination; those into inputs come from nodes of the
  // first two, those into others from any.
  std::vector<std::vector<std::pair<int32_t, int32_t>>> edges;

  // Returns [destinations, sources], float64: the number of edges of a relation
  // between all nodes.
  at::Tensor Adjacency(size_t relation) const;
  // Returns the batch: x float64 noise, n_id 1, 3, 5, ... below num_nodes, and
  // the layers as trim_to_layer cuts them. in_degree and out_degree are
  // the numbers of edges plus `unsampled`.
  MiniBatch Batch(int64_t unsampled = 0) const;
};

// 3 inputs and 9 nodes of 4 features of a homogeneous graph.
TinyGraph TinyHomogeneous();
// Papers (4 features, 2 inputs), venues (3 features) and authors (none), with
// relations between them, one of which has no edges.
TinyGraph TinyTyped();

}  // namespace tributary

#endif  // TRIBUTARY_TRAINER_CLIENT_TORCH_NN_TESTING_TINY_BATCH_H_
