// The graph convolution (Kipf, Welling: Semi-Supervised Classification with
// Graph Convolutional Networks, 2017) on sampled neighbours.
#ifndef TRIBUTARY_TRAINER_CLIENT_TORCH_NN_CONV_GCN_CONV_H_
#define TRIBUTARY_TRAINER_CLIENT_TORCH_NN_CONV_GCN_CONV_H_

#include <torch/nn/modules/linear.h>

#include "trainer_client/torch/nn/conv/relation_conv.h"

namespace tributary {

enum class GcnNorm {
  // Symmetric, with self loops: out_v = W (sum over the sampled in-edges u -> v
  // of (d_v / k_v) / sqrt((d_u + 1) (d_v + 1)) x_u + x_v / (d_v + 1)) + bias,
  // where d is the number of in-edges in the whole graph (ConvInput::in_degree)
  // and k_v of those that were sampled. The factor d_v / k_v makes the sum an
  // unbiased estimate of that over all in-edges. Where all are sampled, the
  // layer
  // equals PyG's GCNConv, but for nodes that have a self loop in the graph: PyG
  // counts it once together with the one that it adds, here both count.
  kBoth,
  // The same between types, without self loops: out_v = W (sum over the sampled
  // in-edges u -> v of (d_v / k_v) / sqrt(d_u d_v) x_u) + bias, where d_v is
  // the
  // number of the relation's in-edges of v in the whole graph and d_u that of
  // its out-edges of u (ConvInput::out_degree): DGL's GraphConv(norm="both")
  // where all are sampled.
  kBothBipartite,
  // out_v = W (mean over the sampled in-edges of x_u) + bias, without self
  // loops: DGL's GraphConv(norm="right").
  kRight,
};

// Has the parameters of PyG's GCNConv: lin.weight, bias. Aggregates before it
// multiplies by the weight, since a layer reads more rows than it computes.
class GcnConv : public RelationConv {
 public:
  explicit GcnConv(const ConvChannels& channels, GcnNorm norm = GcnNorm::kBoth);
  at::Tensor Forward(const ConvInput& input) override;

 private:
  at::Tensor SymmetricSum(const ConvInput& input);
  at::Tensor BipartiteSum(const ConvInput& input);

  const GcnNorm norm_;
  torch::nn::Linear lin_{nullptr};
  at::Tensor bias_;
};

}  // namespace tributary

#endif  // TRIBUTARY_TRAINER_CLIENT_TORCH_NN_CONV_GCN_CONV_H_
