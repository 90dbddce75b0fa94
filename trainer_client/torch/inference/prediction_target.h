// The nodes or links that are predicted. No torch.
#ifndef TRIBUTARY_TRAINER_CLIENT_TORCH_INFERENCE_PREDICTION_TARGET_H_
#define TRIBUTARY_TRAINER_CLIENT_TORCH_INFERENCE_PREDICTION_TARGET_H_

#include <string>

#include "absl/status/statusor.h"

namespace tributary {

// A split, or all nodes of a type.
struct PredictionTarget {
  // A node type, or the links' edge type "src,rel,dst"; empty: the type of the
  // training inputs.
  std::string type;
  std::string split;  // empty: all nodes of the type

  bool all_nodes() const { return split.empty(); }
  std::string ToString() const;
};

// Reads "[TYPE:]SPLIT" or "[TYPE:]*". A type may contain colons, a split may
// not. INVALID_ARGUMENT, naming --predict, for an empty type or split.
absl::StatusOr<PredictionTarget> ParsePredictionTarget(const std::string& text);

}  // namespace tributary

#endif  // TRIBUTARY_TRAINER_CLIENT_TORCH_INFERENCE_PREDICTION_TARGET_H_
