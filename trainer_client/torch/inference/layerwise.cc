#include "trainer_client/torch/inference/layerwise.h"

#include <ATen/ATen.h>

#include <array>
#include <filesystem>
#include <string>
#include <system_error>
#include <utility>

#include "absl/strings/str_cat.h"
#include "common/text/status.h"
#include "trainer_client/torch/checkpoint/durable_files.h"
#include "trainer_client/torch/ddp/agree.h"
#include "trainer_client/torch/inference/prediction_folder.h"

namespace tributary {

LayerwiseInference::LayerwiseInference(LayeredModel* model,
                                       const TypeTable& types, LayerPlan plan,
                                       Context context)
    : model_(model),
      types_(types),
      plan_(std::move(plan)),
      context_(std::move(context)) {}

OneHop LayerwiseInference::HopOf(int layer) const {
  return {.fanouts = plan_.FanoutsOf(types_, static_cast<size_t>(layer)),
          .collect_features = layer == 0,
          .collect_degrees = context_.collect_degrees};
}

int64_t LayerwiseInference::ChannelsOf(int layer) const {
  return layer == model_->num_layers() ? context_.out_channels
                                       : model_->in_channels(layer, 0);
}

std::string LayerwiseInference::PathOf(int layer, size_t type) const {
  return LayerPath(context_.folder, layer, types_.node_types[type]);
}

absl::StatusOr<StoredLayer> LayerwiseInference::Stored(int layer) const {
  return StoredLayer::Open(context_.folder, layer, types_,
                           plan_.layers.at(layer - 1).computed,
                           ChannelsOf(layer));
}

TypeTensors LayerwiseInference::InputOf(int layer, const MiniBatch& batch) {
  if (layer == 0) return model_->InputRows(batch);
  return input_->RowsOf(batch, model_->TypesWithRows(layer),
                        context_.pass->device());
}

// Runs on rank 0.
absl::Status LayerwiseInference::CreateFiles(int layer) {
  const std::vector<bool>& computed = plan_.layers.at(layer - 1).computed;
  for (size_t t = 0; t < computed.size(); ++t) {
    if (!computed[t]) continue;
    const std::string path = PathOf(layer, t);
    std::error_code ignored;  // CreateRowFile() reports it
    std::filesystem::create_directories(
        std::filesystem::path(path).parent_path(), ignored);
    RETURN_IF_ERROR(CreateRowFile(
        path, StoredLayer::ShapeOf(types_, t, ChannelsOf(layer))));
  }
  return absl::OkStatus();
}

// Runs on rank 0.
absl::Status LayerwiseInference::RemoveFiles(int layer) {
  for (size_t t = 0; t < types_.node_types.size(); ++t) {
    RETURN_IF_ERROR(RemoveTree(PathOf(layer, t)));
  }
  return absl::OkStatus();
}

absl::Status LayerwiseInference::ComputeType(int layer, size_t type) {
  ASSIGN_OR_RETURN(
      RowWriter file,
      RowWriter::Open(PathOf(layer, type),
                      StoredLayer::ShapeOf(types_, type, ChannelsOf(layer))));
  if (types_.num_nodes[type] == 0) return absl::OkStatus();
  RETURN_IF_ERROR(context_.pass->ForEach(
      context_.sessions->AllNodes(types_.node_types[type], HopOf(layer - 1)),
      absl::StrCat("predict layer ", layer),
      [&](const MiniBatch& batch) -> absl::Status {
        const TypeTensors out = model_->ForwardLayer(
            layer - 1, InputOf(layer - 1, batch), batch.layers.at(0), batch);
        return WriteTensor(batch.n_id[type].index_select(0, batch.seed_index),
                           out.at(type).index_select(0, batch.seed_index),
                           file);
      }));
  return file.Sync();
}

absl::Status LayerwiseInference::Compute(
    int layer, absl::FunctionRef<absl::Status()> done) {
  ProcessGroup& group = *context_.group;
  const bool rank_0 = group.rank() == 0;
  RETURN_IF_ERROR(
      AgreeOnRank0(group, rank_0 ? CreateFiles(layer) : absl::OkStatus()));
  if (layer > 1) {
    ASSIGN_OR_RETURN(input_, Stored(layer - 1));
  }
  const std::vector<bool>& computed = plan_.layers.at(layer - 1).computed;
  for (size_t t = 0; t < computed.size(); ++t) {
    if (computed[t]) RETURN_IF_ERROR(ComputeType(layer, t));
  }
  input_.reset();
  // No rank is past this before all have written their rows.
  std::array<double, 1> written{1};
  RETURN_IF_ERROR(group.Sum(absl::MakeSpan(written)));
  RETURN_IF_ERROR(AgreeOnRank0(group, rank_0 ? done() : absl::OkStatus()));
  return AgreeOnRank0(group,
                      rank_0 ? RemoveFiles(layer - 1) : absl::OkStatus());
}

absl::Status LayerwiseInference::OpenLast() {
  if (model_->num_layers() > 1) {
    ASSIGN_OR_RETURN(input_, Stored(model_->num_layers() - 1));
  }
  return absl::OkStatus();
}

BatchRows LayerwiseInference::LastLayer(const MiniBatch& batch) {
  const int last = model_->num_layers() - 1;
  BatchRows rows{.last_input = InputOf(last, batch)};
  rows.out =
      model_->ForwardLayer(last, rows.last_input, batch.layers.at(0), batch);
  return rows;
}

}  // namespace tributary
