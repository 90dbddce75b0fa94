// The interface of layers that pass messages along one relation.
#ifndef TRIBUTARY_TRAINER_CLIENT_TORCH_NN_CONV_RELATION_CONV_H_
#define TRIBUTARY_TRAINER_CLIENT_TORCH_NN_CONV_RELATION_CONV_H_

#include <torch/nn/module.h>

#include <cstdint>

#include "trainer_client/torch/nn/segment/segments.h"

namespace tributary {

// Sizes of rows, as PyG's in_channels and out_channels.
struct ConvChannels {
  int64_t in_src = 0;
  int64_t in_dst = 0;  // equal to in_src unless bipartite
  int64_t out = 0;
  // Sources and destinations are of different types, or are transformed as if
  // they were: PyG's in_channels is a tuple.
  bool bipartite = false;
};

// The input of a layer. Unless bipartite, x_dst is the first rows of x_src.
struct ConvInput {
  at::Tensor x_src;   // [num_src, in_src]
  at::Tensor x_dst;   // [num_dst, in_dst]
  Segments segments;  // num_dst segments over num_src rows
  // The relation's edges in the whole graph, undefined unless the batch has
  // degrees: of each row of the destination type those that end there, int64
  // [at least num_dst], and of the source type those that begin there, int64
  // [at least num_src].
  at::Tensor in_degree;
  at::Tensor out_degree;
  // The key of the layer's draws in this step: see KeyedDropout.
  uint64_t draw_key = 0;
};

// A layer of one relation. Throws what LibTorch throws.
class RelationConv : public torch::nn::Module {
 public:
  // Returns [num_dst, out].
  virtual at::Tensor Forward(const ConvInput& input) = 0;
};

}  // namespace tributary

#endif  // TRIBUTARY_TRAINER_CLIENT_TORCH_NN_CONV_RELATION_CONV_H_
