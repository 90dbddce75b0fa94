// A model of layers of any kind: input rows, then layer, norm, ReLU, dropout.
#ifndef TRIBUTARY_TRAINER_CLIENT_TORCH_NN_LAYERED_MODEL_H_
#define TRIBUTARY_TRAINER_CLIENT_TORCH_NN_LAYERED_MODEL_H_

#include <torch/nn/modules/linear.h>
#include <torch/nn/modules/normalization.h>

#include <memory>
#include <vector>

#include "trainer_client/torch/nn/gnn_model.h"
#include "trainer_client/torch/nn/graph_layer.h"
#include "trainer_client/torch/nn/input_embedding.h"

namespace tributary {

// The rows that the first layer reads: features, projected where the type has a
// projection, or rows of the embedding.
struct ModelInputs {
  std::vector<torch::nn::Linear> projections;  // by type; null: none
  std::shared_ptr<InputEmbedding> embedding;   // may be null
};

struct LayeredModelOptions {
  int64_t hidden_channels = 0;
  double dropout = 0;
  double input_dropout = 0;
  bool layer_norm = false;
};

// Modules: convs.<layer>, norms.<layer> (if layer_norm), input.<type> (the
// projections), embedding.<type>.
class LayeredModel : public GnnModel {
 public:
  LayeredModel(const TypeTable& types, const LayeredModelOptions& options,
               ModelInputs inputs,
               std::vector<std::unique_ptr<GraphLayer>> layers);
  TypeTensors Forward(const MiniBatch& batch) override;

 private:
  void RegisterInputs();
  void RegisterLayers();
  // The rows of a type that the first layer reads, as the batch has them.
  at::Tensor RowsOfType(const MiniBatch& batch, size_t type);
  TypeTensors InputRows(const MiniBatch& batch);
  // What follows a hidden layer.
  void Activate(size_t layer, uint64_t draw_key, TypeTensors& rows);

  const TypeTable types_;
  const LayeredModelOptions options_;
  const ModelInputs inputs_;
  const std::vector<std::unique_ptr<GraphLayer>> layers_;
  std::vector<torch::nn::LayerNorm> norms_;
};

}  // namespace tributary

#endif  // TRIBUTARY_TRAINER_CLIENT_TORCH_NN_LAYERED_MODEL_H_
