#include "trainer_client/torch/nn/make_model.h"

#include <ATen/ATen.h>

#include <functional>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "common/text/status.h"
#include "trainer_client/torch/batch_tensors/catch_torch.h"
#include "trainer_client/torch/nn/conv/gat_conv.h"
#include "trainer_client/torch/nn/conv/gcn_conv.h"
#include "trainer_client/torch/nn/conv/sage_conv.h"
#include "trainer_client/torch/nn/graph_layer.h"
#include "trainer_client/torch/nn/layered_model.h"
#include "trainer_client/torch/nn/seeded_draws.h"
#include "trainer_client/torch/nn/type_key.h"

namespace tributary {
namespace {

// Makes one model's layers.
struct LayerMaker {
  const ModelOptions& options;
  const TypeTable& types;
  const bool typed;

  bool last(int layer) const { return layer + 1 == options.num_layers; }
  int64_t out(int layer) const {
    return last(layer) ? options.out_channels : options.hidden_channels;
  }
  int64_t in(int layer, size_t type) const {
    const int64_t features = types.feature_dim[type];
    return layer == 0 && features > 0 ? features : options.hidden_channels;
  }

  std::shared_ptr<RelationConv> Conv(int layer, ConvChannels channels) const {
    if (options.model == "sage") {
      return std::make_shared<SageConv>(channels, options.aggr == "max"
                                                      ? SageAggregation::kMax
                                                      : SageAggregation::kMean);
    }
    if (options.model == "gcn") {
      const GcnNorm both = typed ? GcnNorm::kBothBipartite : GcnNorm::kBoth;
      return std::make_shared<GcnConv>(
          channels, options.norm == "right" ? GcnNorm::kRight : both);
    }
    // As PyG's GAT: heads are concatenated, those of the last layer averaged.
    if (!last(layer)) channels.out /= options.heads;
    return std::make_shared<GatConv>(
        channels,
        GatConvOptions{.heads = options.heads,
                       .concat = !last(layer),
                       .negative_slope = options.negative_slope,
                       .dropout = options.attention_dropout,
                       .add_self_loops = options.add_self_loops && !typed});
  }

  std::unique_ptr<GraphLayer> Layer(int layer) const {
    if (options.model == "embedding") return std::make_unique<OwnRows>();
    if (options.model == "rgcn") {
      return std::make_unique<RgcnLayer>(
          types, RgcnConvOptions{.in_channels = options.hidden_channels,
                                 .out_channels = out(layer),
                                 .num_relations = static_cast<int64_t>(
                                     types.relations.size()),
                                 .num_bases = options.num_bases});
    }
    return std::make_unique<HeteroConv>(
        types, [&](const TypeTable::Relation& r) {
          return Conv(layer, {.in_src = in(layer, r.src_type),
                              .in_dst = in(layer, r.dst_type),
                              .out = out(layer),
                              .bipartite = typed});
        });
  }
};

ModelInputs MakeInputs(const ModelOptions& options, const TypeTable& types,
                       std::shared_ptr<InputEmbedding> embedding) {
  ModelInputs inputs{.embedding = std::move(embedding)};
  const bool projects = options.model == "rgcn" || options.model == "embedding";
  bool featureless = false;
  for (const int64_t dim : types.feature_dim) {
    featureless |= dim == 0;
    inputs.projections.push_back(
        projects && dim > 0 ? torch::nn::Linear(dim, options.hidden_channels)
                            : torch::nn::Linear(nullptr));
  }
  if (!featureless) {
    inputs.embedding = nullptr;
  } else if (!inputs.embedding) {
    inputs.embedding =
        std::make_shared<DenseEmbedding>(types, options.hidden_channels);
  }
  return inputs;
}

// Refuses types that would share a name of parameters.
absl::Status CheckKeys(const std::vector<std::string>& names) {
  std::map<std::string, std::string> by_key;
  for (const std::string& name : names) {
    const auto [at, is_new] = by_key.emplace(TypeKey(name), name);
    if (is_new) continue;
    return absl::InvalidArgumentError(absl::StrCat(
        "the parameters of ", name, " and ", at->second,
        " would both be named ", at->first,
        ", allowed: names that differ in more than ' ', '-', ':', '.', '_'"));
  }
  return absl::OkStatus();
}

absl::Status CheckTypes(const TypeTable& types) {
  std::vector<std::string> relations;
  for (const TypeTable::Relation& r : types.relations) {
    relations.push_back(r.name);
  }
  if (relations.empty()) {
    return absl::InvalidArgumentError("the graph has no edge types");
  }
  RETURN_IF_ERROR(CheckKeys(types.node_types));
  return CheckKeys(relations);
}

}  // namespace

absl::StatusOr<std::shared_ptr<GnnModel>> MakeModel(
    const ModelOptions& options, const TypeTable& types, uint64_t random_seed,
    std::shared_ptr<InputEmbedding> embedding) {
  RETURN_IF_ERROR(options.Validate());
  RETURN_IF_ERROR(CheckTypes(types));
  if (options.model == "embedding" &&
      options.out_channels != options.hidden_channels) {
    return absl::InvalidArgumentError(absl::StrCat(
        "out_channels is ", options.out_channels,
        ", allowed with the model embedding: hidden_channels, which is ",
        options.hidden_channels));
  }
  std::shared_ptr<GnnModel> model;
  RETURN_IF_ERROR(CatchTorch("model", [&] {
    const SeededDraws seeded(random_seed);
    ModelInputs inputs = MakeInputs(options, types, std::move(embedding));
    const LayerMaker maker{options, types, !IsHomogeneous(types)};
    std::vector<std::unique_ptr<GraphLayer>> layers;
    for (int l = 0; l < options.num_layers; ++l) {
      layers.push_back(maker.Layer(l));
    }
    model = std::make_shared<LayeredModel>(
        types,
        LayeredModelOptions{.hidden_channels = options.hidden_channels,
                            .dropout = options.dropout,
                            .input_dropout = options.input_dropout,
                            .layer_norm = options.layer_norm},
        std::move(inputs), std::move(layers));
    return absl::OkStatus();
  }));
  return model;
}

}  // namespace tributary
