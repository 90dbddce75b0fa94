#include "trainer_client/torch/nn/input_embedding.h"

#include <ATen/ATen.h>
#include <torch/nn/init.h>

#include <cmath>
#include <memory>

#include "trainer_client/torch/nn/type_key.h"

namespace tributary {

DenseEmbedding::DenseEmbedding(const TypeTable& types, int64_t channels)
    : weights_(types.node_types.size()) {
  for (size_t t = 0; t < types.node_types.size(); ++t) {
    if (types.feature_dim[t] > 0) continue;
    auto table = std::make_shared<torch::nn::Module>();
    weights_[t] = table->register_parameter(
        "weight", torch::nn::init::xavier_uniform_(
                      at::empty({types.num_nodes[t], channels}),
                      /*gain=*/std::sqrt(2.0)));
    register_module(TypeKey(types.node_types[t]), table);
  }
}

at::Tensor DenseEmbedding::Rows(size_t type, const at::Tensor& n_id) {
  TORCH_CHECK(weights_[type].defined(), "node type ", type,
              " has features and no embedding");
  return weights_[type].index_select(0, n_id);
}

}  // namespace tributary
