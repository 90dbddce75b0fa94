// The options that a model is made by. No torch in this header.
#ifndef TRIBUTARY_TRAINER_CLIENT_TORCH_NN_MODEL_OPTIONS_H_
#define TRIBUTARY_TRAINER_CLIENT_TORCH_NN_MODEL_OPTIONS_H_

#include <cstdint>
#include <string>

#include "absl/status/status.h"

namespace tributary {

// Options of MakeModel(), with PyG's names where PyG has the option. Those of
// other models are ignored, but must be valid.
struct ModelOptions {
  std::string model = "sage";  // sage, gcn, gat, rgcn, embedding
  int64_t hidden_channels = 64;
  int64_t out_channels = 0;
  int num_layers = 2;
  double dropout = 0;        // of each hidden layer's output
  double input_dropout = 0;  // of the features
  bool layer_norm = false;   // of each hidden layer's output, before the ReLU

  std::string aggr = "mean";     // sage: mean, max
  std::string norm = "both";     // gcn: both, right
  int heads = 1;                 // gat; hidden_channels is a multiple
  double attention_dropout = 0;  // gat: of the attention coefficients
  double negative_slope = 0.2;   // gat: of the leaky ReLU of the attention
  bool add_self_loops = true;    // gat; typed graphs: never
  int num_bases = 0;             // rgcn; 0: a weight for each relation

  // Returns INVALID_ARGUMENT that names the option, its value and what is
  // allowed.
  absl::Status Validate() const;
};

}  // namespace tributary

#endif  // TRIBUTARY_TRAINER_CLIENT_TORCH_NN_MODEL_OPTIONS_H_
