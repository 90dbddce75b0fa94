// A model of one's own, trained by all that `tributary-train` can do: its
// flags, fleets, ranks, checkpoints. See README.md beside this file.
#include <torch/nn/modules/container/modulelist.h>
#include <torch/nn/modules/linear.h>

#include <csignal>
#include <memory>

#include "absl/status/statusor.h"
#include "common/observe/log.h"
#include "trainer_client/torch/command/train_command.h"
#include "trainer_client/torch/nn/dropout/keyed_dropout.h"
#include "trainer_client/torch/nn/gnn_model.h"
#include "trainer_client/torch/nn/segment/segment_ops.h"
#include "trainer_client/torch/nn/segment/segments.h"
#include "trainer_client/torch/real_batch_source.h"

namespace {

using tributary::LayerGraph;
using tributary::MiniBatch;
using tributary::ModelOptions;
using tributary::Segments;
using tributary::TypeTable;
using tributary::TypeTensors;

// Each layer is a linear map of a node's row beside the mean and the maximum of
// its neighbours' rows. For graphs of one node and one edge type.
class MeanAndMaxModel final : public tributary::GnnModel {
 public:
  MeanAndMaxModel(const ModelOptions& options, int64_t in_channels)
      : dropout_(options.dropout) {
    for (int layer = 0; layer < options.num_layers; ++layer) {
      const int64_t in = layer == 0 ? in_channels : options.hidden_channels;
      const bool last = layer + 1 == options.num_layers;
      linears_->push_back(torch::nn::Linear(
          3 * in, last ? options.out_channels : options.hidden_channels));
    }
    register_module("linears", linears_);
  }

  TypeTensors Forward(const MiniBatch& batch) override {
    at::Tensor x = batch.x[0];
    for (size_t layer = 0; layer < batch.layers.size(); ++layer) {
      x = Layer(x, batch.layers[layer], layer);
      if (layer + 1 == batch.layers.size()) break;
      // The mask is a function of the batch and the layer: a run that is
      // resumed draws the same.
      x = tributary::KeyedDropout(
          at::relu(x), dropout_, is_training(),
          tributary::LayerDrawKey(batch.draw_key, layer, /*type=*/0));
    }
    return {x};
  }

 private:
  at::Tensor Layer(const at::Tensor& x, const LayerGraph& graph, size_t layer) {
    const int64_t num_dst = graph.num_dst[0];
    at::Tensor mean = at::zeros({num_dst, x.size(1)}, x.options());
    at::Tensor max = mean;
    if (!graph.relations.empty()) {  // the batch may have no edges
      const tributary::RelationBlock& block = graph.relations[0];
      const Segments edges(block.indptr, block.src, block.num_src);
      mean = SegmentMean(x, edges);
      max = SegmentMax(x, edges);
    }
    return linears_[layer]->as<torch::nn::Linear>()->forward(
        at::cat({x.slice(0, 0, num_dst), mean, max}, 1));
  }

  const double dropout_;
  torch::nn::ModuleList linears_;
};

absl::StatusOr<std::shared_ptr<tributary::GnnModel>> MakeOwnModel(
    const ModelOptions& options, const TypeTable& types, uint64_t random_seed) {
  if (types.node_types.size() != 1 || types.relations.size() != 1 ||
      types.feature_dim[0] == 0) {
    return absl::InvalidArgumentError(
        "own_model needs a graph of one node type with features and one edge "
        "type");
  }
  torch::manual_seed(random_seed);  // of the initial parameters
  return std::make_shared<MeanAndMaxModel>(options, types.feature_dim[0]);
}

}  // namespace

int main(int argc, char** argv) {
  tributary::SetLogLevel(tributary::LogLevel::kWarning);
  std::signal(SIGPIPE, SIG_IGN);  // a closed pipe is an error of write()
  return tributary::RunTrainCommand(argc, argv, tributary::OpenRealBatchSource,
                                    MakeOwnModel);
}
