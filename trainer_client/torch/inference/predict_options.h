// The options of a prediction. No torch.
#ifndef TRIBUTARY_TRAINER_CLIENT_TORCH_INFERENCE_PREDICT_OPTIONS_H_
#define TRIBUTARY_TRAINER_CLIENT_TORCH_INFERENCE_PREDICT_OPTIONS_H_

#include <cstdint>
#include <optional>
#include <string>

#include "absl/status/statusor.h"
#include "common/session/spec_builder.h"
#include "trainer_client/core/dist_neighbor_loader.h"
#include "trainer_client/torch/inference/prediction_target.h"
#include "trainer_client/torch/sessions/link_sessions.h"

namespace tributary {

enum class InferenceMode {
  // The model runs over batches that are sampled as those of evaluation.
  kSampled,
  // Each layer is computed once for all nodes, from all their neighbours; its
  // rows are kept in files that the next layer reads.
  kLayerwise,
};

struct PredictOptions {
  PredictionTarget target;
  // The folder of the result; every rank reaches it, as does each machine of a
  // job.
  std::string out;
  // A folder of the graph, whose dictionaries give the user's ids of the rows;
  // empty: they are not written. Rank 0 reads it.
  std::string ext_ids;
  // None: layer-wise for all nodes, sampled for a split.
  std::optional<InferenceMode> inference;
  // The options of the training loader, with rank and world.
  NeighborLoaderOptions loader;
  NumNeighbors eval_num_neighbors;
  uint64_t batch_size = 512;  // inputs in a batch, in both modes
  // The links that the model is trained on; none: nodes.
  std::optional<LinkSampling> link;

  bool layerwise() const {
    return inference ? *inference == InferenceMode::kLayerwise
                     : target.all_nodes();
  }
};

}  // namespace tributary

#endif  // TRIBUTARY_TRAINER_CLIENT_TORCH_INFERENCE_PREDICT_OPTIONS_H_
