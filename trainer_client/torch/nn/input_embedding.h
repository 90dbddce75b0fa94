// Learned rows of node types without features.
#ifndef TRIBUTARY_TRAINER_CLIENT_TORCH_NN_INPUT_EMBEDDING_H_
#define TRIBUTARY_TRAINER_CLIENT_TORCH_NN_INPUT_EMBEDDING_H_

#include <torch/nn/module.h>

#include <vector>

#include "trainer_client/torch/batch_tensors/mini_batch.h"

namespace tributary {

// Where a model reads rows of nodes without features. Gradients flow into what
// Rows() returned. Used by one thread.
class InputEmbedding : public torch::nn::Module {
 public:
  // Returns [n_id.size(0), channels]: a row for each node of the type, by
  // original ids, int64. `type` is an index into TypeTable::node_types.
  virtual at::Tensor Rows(size_t type, const at::Tensor& n_id) = 0;
};

// Keeps all rows in the model, as the parameter <type>.weight [num_nodes,
// channels] of each node type without features. A step's gradient is as large.
// Draws xavier_uniform values with the gain of ReLU, as DGL's RelGraphEmbed.
class DenseEmbedding : public InputEmbedding {
 public:
  DenseEmbedding(const TypeTable& types, int64_t channels);
  at::Tensor Rows(size_t type, const at::Tensor& n_id) override;

 private:
  std::vector<at::Tensor> weights_;  // by node type; undefined: has features
};

}  // namespace tributary

#endif  // TRIBUTARY_TRAINER_CLIENT_TORCH_NN_INPUT_EMBEDDING_H_
