// The sampling sessions of a prediction. No torch.
#ifndef TRIBUTARY_TRAINER_CLIENT_TORCH_INFERENCE_PREDICTION_SESSIONS_H_
#define TRIBUTARY_TRAINER_CLIENT_TORCH_INFERENCE_PREDICTION_SESSIONS_H_

#include <string>

#include "common/session/spec_builder.h"
#include "partition/schema/schema.h"
#include "trainer_client/core/kinds/session_options.h"
#include "trainer_client/torch/inference/predict_options.h"

namespace tributary {

// What batches of one hop carry.
struct OneHop {
  NumNeighbors fanouts;
  bool collect_features = false;
  bool collect_degrees = false;
};

// Makes the sessions, whose inputs come in the order of their list, or of their
// ids.
class PredictionSessions {
 public:
  explicit PredictionSessions(const PredictOptions& options)
      : options_(options) {}

  // Batches of the target's links: otherwise of nodes.
  bool of_links() const {
    return options_.link.has_value() && !options_.target.all_nodes();
  }
  // The target's type; that of the training inputs where it names none.
  std::string target_type() const;

  // The target, with as few neighbours as possible: to read the schema, and
  // links whose rows are known.
  SessionOptions Probe() const;
  // The target, sampled as for evaluation. No edge of a batch's own links is
  // sampled where training leaves them out.
  SessionOptions Sampled(const GraphSchema& schema, bool collect_degrees) const;
  // The target's nodes with one hop.
  SessionOptions Target(const OneHop& hop) const;
  // All nodes of a type with one hop.
  SessionOptions AllNodes(const std::string& type, const OneHop& hop) const;

 private:
  CommonLoaderOptions Common() const;
  CommonLoaderOptions TargetNodes() const;
  SessionOptions Links(const CommonLoaderOptions& common, ExcludeMode exclude,
                       const NeighborOptions& neighbors) const;

  const PredictOptions& options_;
};

}  // namespace tributary

#endif  // TRIBUTARY_TRAINER_CLIENT_TORCH_INFERENCE_PREDICTION_SESSIONS_H_
