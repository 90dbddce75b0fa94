#include "trainer_client/torch/nn/layered_model.h"

#include <ATen/ATen.h>
#include <torch/nn/modules/container/modulelist.h>

#include <string>
#include <utility>

#include "trainer_client/torch/nn/dropout/keyed_dropout.h"
#include "trainer_client/torch/nn/first_rows.h"
#include "trainer_client/torch/nn/type_key.h"

namespace tributary {

LayeredModel::LayeredModel(const TypeTable& types,
                           const LayeredModelOptions& options,
                           ModelInputs inputs,
                           std::vector<std::unique_ptr<GraphLayer>> layers)
    : types_(types),
      options_(options),
      inputs_(std::move(inputs)),
      layers_(std::move(layers)) {
  RegisterInputs();
  RegisterLayers();
}

void LayeredModel::RegisterInputs() {
  auto projections = std::make_shared<torch::nn::Module>("input");
  for (size_t t = 0; t < inputs_.projections.size(); ++t) {
    if (!inputs_.projections[t]) continue;
    projections->register_module(TypeKey(types_.node_types[t]),
                                 inputs_.projections[t]);
  }
  if (!projections->children().empty()) register_module("input", projections);
  if (inputs_.embedding) register_module("embedding", inputs_.embedding);
}

void LayeredModel::RegisterLayers() {
  torch::nn::ModuleList convs;
  for (const auto& layer : layers_) convs->push_back(layer->module());
  register_module("convs", convs);
  if (!options_.layer_norm) return;
  torch::nn::ModuleList norms;
  for (size_t l = 0; l + 1 < layers_.size(); ++l) {
    norms_.emplace_back(
        torch::nn::LayerNormOptions({options_.hidden_channels}));
    norms->push_back(norms_.back());
  }
  register_module("norms", norms);
}

at::Tensor LayeredModel::RowsOfType(const MiniBatch& batch, size_t type) {
  const int64_t n = batch.layers[0].num_src[type];
  const bool features = types_.feature_dim[type] > 0;
  const at::Tensor& given = features ? batch.x[type] : batch.n_id[type];
  TORCH_CHECK(given.defined() || n == 0, "a batch has ", n, " nodes of type ",
              types_.node_types[type], ", but not their ",
              features ? "features" : "ids");
  // A model may have no parameters: rows of nodes on the servers alone.
  const std::vector<at::Tensor> own = parameters();
  const at::TensorOptions like =
      own.empty() ? at::TensorOptions(at::kFloat) : own.front().options();
  if (features) {
    return given.defined() ? FirstRows(given, n)
                           : at::empty({0, types_.feature_dim[type]}, like);
  }
  return inputs_.embedding->Rows(
      type, given.defined() ? FirstRows(given, n)
                            : at::empty({0}, like.dtype(at::kLong)));
}

TypeTensors LayeredModel::InputRows(const MiniBatch& batch) {
  TypeTensors rows(types_.node_types.size());
  for (size_t t = 0; t < rows.size(); ++t) {
    rows[t] = RowsOfType(batch, t);
    rows[t] = KeyedDropout(rows[t], options_.input_dropout, is_training(),
                           LayerDrawKey(batch.draw_key, 0, t));
    if (t < inputs_.projections.size() && inputs_.projections[t]) {
      rows[t] = torch::nn::Linear(inputs_.projections[t])->forward(rows[t]);
    }
  }
  return rows;
}

void LayeredModel::Activate(size_t layer, uint64_t draw_key,
                            TypeTensors& rows) {
  for (size_t t = 0; t < rows.size(); ++t) {
    if (!rows[t].defined()) continue;
    if (options_.layer_norm) rows[t] = norms_[layer]->forward(rows[t]);
    rows[t] = KeyedDropout(at::relu(rows[t]), options_.dropout, is_training(),
                           LayerDrawKey(draw_key, layer + 1, t));
  }
}

std::vector<bool> LayeredModel::TypesWithRows(int layer) const {
  std::vector<bool> has_rows(types_.node_types.size(), true);
  for (int l = 0; l < layer; ++l) {
    has_rows = layers_.at(l)->TypesWithRows(has_rows);
  }
  return has_rows;
}

int64_t LayeredModel::in_channels(int layer, size_t type) const {
  const bool projected =
      type < inputs_.projections.size() && inputs_.projections[type];
  const int64_t features = types_.feature_dim.at(type);
  return layer > 0 || projected || features == 0 ? options_.hidden_channels
                                                 : features;
}

TypeTensors LayeredModel::ForwardLayer(int layer, TypeTensors rows,
                                       const LayerGraph& graph,
                                       const MiniBatch& batch) {
  for (size_t t = 0; t < rows.size(); ++t) {
    if (rows[t].defined()) rows[t] = FirstRows(rows[t], graph.num_src[t]);
  }
  rows = layers_.at(layer)->Forward({.x = std::move(rows),
                                     .graph = graph,
                                     .in_degree = batch.in_degree,
                                     .out_degree = batch.out_degree,
                                     .draw_key = batch.draw_key,
                                     .layer = static_cast<uint64_t>(layer)});
  if (layer + 1 < num_layers()) Activate(layer, batch.draw_key, rows);
  return rows;
}

TypeTensors LayeredModel::Forward(const MiniBatch& batch) {
  TORCH_CHECK(batch.layers.size() == layers_.size(), "a model of ",
              layers_.size(), " layers was given a batch of ",
              batch.layers.size(), " hops");
  TypeTensors rows = InputRows(batch);
  for (int l = 0; l < num_layers(); ++l) {
    rows = ForwardLayer(l, std::move(rows), batch.layers[l], batch);
  }
  for (size_t t = 0; t < rows.size(); ++t) {
    if (batch.layers.back().num_dst[t] == 0) rows[t] = at::Tensor();
  }
  return rows;
}

}  // namespace tributary
