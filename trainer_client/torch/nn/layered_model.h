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

  // The steps of Forward, for inference layer by layer. Layers count from 0.

  int num_layers() const { return static_cast<int>(layers_.size()); }
  // Returns, by node type, whether a layer has rows of it to read; for the
  // layer num_layers(), whether the model's output has.
  std::vector<bool> TypesWithRows(int layer) const;
  // Returns the columns of the rows that a layer below num_layers() reads.
  int64_t in_channels(int layer, size_t type) const;
  // Returns the rows that layer 0 reads: of each type, as many as it reads.
  TypeTensors InputRows(const MiniBatch& batch);
  // Returns the rows that a layer computes, [num_dst, out] of each type: of a
  // hidden layer after its norm, ReLU and dropout. `rows` has at least num_src
  // rows of each type of TypesWithRows(layer), and is undefined for others.
  // `graph` is one of the batch's layers, and not always that of this number.
  TypeTensors ForwardLayer(int layer, TypeTensors rows, const LayerGraph& graph,
                           const MiniBatch& batch);

 private:
  void RegisterInputs();
  void RegisterLayers();
  // The rows of a type that the first layer reads, as the batch has them.
  at::Tensor RowsOfType(const MiniBatch& batch, size_t type);
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
