// Inference layer by layer over a whole graph, as PyG's and DGL's
// `inference()`: each layer is computed once for every node that a later one
// reads, from all its neighbours.
#ifndef TRIBUTARY_TRAINER_CLIENT_TORCH_INFERENCE_LAYERWISE_H_
#define TRIBUTARY_TRAINER_CLIENT_TORCH_INFERENCE_LAYERWISE_H_

#include <optional>
#include <string>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "trainer_client/torch/inference/batch_pass.h"
#include "trainer_client/torch/inference/layer_plan.h"
#include "trainer_client/torch/inference/prediction_sessions.h"
#include "trainer_client/torch/inference/tensor_rows.h"
#include "trainer_client/torch/nn/layered_model.h"

namespace tributary {

// The model's rows of a batch.
struct BatchRows {
  // The input of the last layer, by type [at least num_src, hidden].
  TypeTensors last_input;
  // The model's output, by type [num_dst, out].
  TypeTensors out;
};

// Computes the layers of a model. The rows of layer L (from 1) of all nodes of
// a type are in one file, [num_nodes, channels] by original id, which all ranks
// write and read: memory is bounded by a batch. Rows do not depend on the
// number of ranks. The objects must outlive it; `model` is in evaluation mode.
// Used by one thread; every rank must make the same calls.
class LayerwiseInference {
 public:
  struct Context {
    std::string folder;
    const PredictionSessions* sessions = nullptr;
    bool collect_degrees = false;
    int64_t out_channels = 0;  // of the model
    BatchPass* pass = nullptr;
    ProcessGroup* group = nullptr;
  };
  LayerwiseInference(LayeredModel* model, const TypeTable& types,
                     LayerPlan plan, Context context);

  // Computes layer `layer`, from 1, for all nodes of the types that the plan
  // says, from the files of the layer before it; these are removed in the end.
  // `done` is called on rank 0 once the rows are on the disk of every rank.
  absl::Status Compute(int layer, absl::FunctionRef<absl::Status()> done);

  // Prepares rows of the last layer in batches of LastHop().
  absl::Status OpenLast();
  // Returns the hop of batches for LastLayer().
  OneHop LastHop() const { return HopOf(model_->num_layers() - 1); }
  // Computes the last layer for the batch's inputs. Requires OpenLast().
  BatchRows LastLayer(const MiniBatch& batch);

  // Returns the stored rows of a layer, from 1, that the plan computes.
  absl::StatusOr<StoredLayer> Stored(int layer) const;

 private:
  OneHop HopOf(int layer) const;
  int64_t ChannelsOf(int layer) const;
  absl::Status CreateFiles(int layer);
  absl::Status ComputeType(int layer, size_t type);
  absl::Status RemoveFiles(int layer);
  // Returns the rows that layer `layer`, from 0, reads.
  TypeTensors InputOf(int layer, const MiniBatch& batch);
  std::string PathOf(int layer, size_t type) const;

  LayeredModel* const model_;
  const TypeTable types_;
  const LayerPlan plan_;
  const Context context_;
  std::optional<StoredLayer> input_;  // of the layer that is being computed
};

}  // namespace tributary

#endif  // TRIBUTARY_TRAINER_CLIENT_TORCH_INFERENCE_LAYERWISE_H_
