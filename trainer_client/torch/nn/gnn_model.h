// The interface of models that are trained on Tributary's batches.
#ifndef TRIBUTARY_TRAINER_CLIENT_TORCH_NN_GNN_MODEL_H_
#define TRIBUTARY_TRAINER_CLIENT_TORCH_NN_GNN_MODEL_H_

#include <torch/nn/module.h>

#include "trainer_client/torch/batch_tensors/mini_batch.h"

namespace tributary {

// A graph neural network. A model of one's own overrides Forward:
//
//   class MyModel : public GnnModel {
//    public:
//     MyModel(int64_t in, int64_t out)
//         : linear_(register_module("linear", torch::nn::Linear(in, out))) {}
//     TypeTensors Forward(const MiniBatch& batch) override {
//       const LayerGraph& layer = batch.layers[0];
//       ...
//     }
//
//    private:
//     torch::nn::Linear linear_;
//   };
//
// Draws (dropout) must be keyed by batch.draw_key (see KeyedDropout), so that a
// resumed run draws the same. A parameter that has no part in the output of
// some batch gets a zero gradient from the training step. Used by one thread;
// may throw what LibTorch throws.
class GnnModel : public torch::nn::Module {
 public:
  // Maps a batch to rows by node type: of each type in which the last layer
  // computes rows, [num_dst of the last layer, out_channels]; undefined for
  // other types.
  virtual TypeTensors Forward(const MiniBatch& batch) = 0;
};

}  // namespace tributary

#endif  // TRIBUTARY_TRAINER_CLIENT_TORCH_NN_GNN_MODEL_H_
