// Layers of models: from rows of all node types to rows of all node types.
#ifndef TRIBUTARY_TRAINER_CLIENT_TORCH_NN_GRAPH_LAYER_H_
#define TRIBUTARY_TRAINER_CLIENT_TORCH_NN_GRAPH_LAYER_H_

#include <torch/nn/module.h>

#include <functional>
#include <memory>
#include <vector>

#include "trainer_client/torch/batch_tensors/mini_batch.h"
#include "trainer_client/torch/nn/conv/relation_conv.h"
#include "trainer_client/torch/nn/conv/rgcn_conv.h"

namespace tributary {

// Returns whether the table is that of a homogeneous graph.
bool IsHomogeneous(const TypeTable& types);

// The input of a layer for all types.
struct LayerInput {
  // [num_src, in] of each type; undefined for types that no earlier layer
  // computes for any batch.
  TypeTensors x;
  const LayerGraph& graph;
  const std::vector<at::Tensor>& in_degree;   // MiniBatch's
  const std::vector<at::Tensor>& out_degree;  // MiniBatch's
  uint64_t draw_key = 0;                      // MiniBatch::draw_key
  uint64_t layer = 0;
};

// One layer. A node's row is a function of its sampled neighbours alone: a
// relation without edges in the batch sends no messages, but its terms of the
// destination itself (bias, lin_r) are there, as for a single node without
// neighbours.
class GraphLayer {
 public:
  virtual ~GraphLayer() = default;
  // Returns [num_dst, out] of each type that gets rows; undefined for others.
  virtual TypeTensors Forward(const LayerInput& input) = 0;
  // Returns, by node type, whether Forward returns rows of it when the types of
  // `has_rows` are defined in its input.
  virtual std::vector<bool> TypesWithRows(
      const std::vector<bool>& has_rows) const = 0;
  // The module that holds the layer's parameters.
  virtual std::shared_ptr<torch::nn::Module> module() const = 0;
};

// A conv for each relation, whose results are summed at each destination type:
// PyG's HeteroConv(aggr="sum"). The relation of a homogeneous graph is the
// module itself; others are its children by TypeKey(). A type gets rows if it
// is the destination of a relation whose source has rows.
class HeteroConv : public GraphLayer {
 public:
  using MakeConv = std::function<std::shared_ptr<RelationConv>(
      const TypeTable::Relation& relation)>;
  HeteroConv(const TypeTable& types, const MakeConv& make_conv);
  TypeTensors Forward(const LayerInput& input) override;
  std::vector<bool> TypesWithRows(
      const std::vector<bool>& has_rows) const override;
  std::shared_ptr<torch::nn::Module> module() const override;

 private:
  const TypeTable types_;
  std::vector<std::shared_ptr<RelationConv>> convs_;  // by relation
  std::shared_ptr<torch::nn::Module> module_;
};

// RgcnConv over the relations of a typed graph; the weight of self loops and
// the bias are those of all types, and every type gets rows.
class RgcnLayer : public GraphLayer {
 public:
  RgcnLayer(const TypeTable& types, const RgcnConvOptions& options);
  TypeTensors Forward(const LayerInput& input) override;
  std::vector<bool> TypesWithRows(
      const std::vector<bool>& has_rows) const override;
  std::shared_ptr<torch::nn::Module> module() const override;

 private:
  // Adds the messages of all relations to `out`: on the CPU those of a
  // destination type at once, elsewhere relation by relation.
  void AddGrouped(const LayerInput& input, TypeTensors& out) const;
  void AddEach(const LayerInput& input, TypeTensors& out) const;

  const TypeTable types_;
  const std::shared_ptr<RgcnConv> conv_;
};

// Returns the destinations' own rows: the layer of a model without neighbours.
class OwnRows : public GraphLayer {
 public:
  TypeTensors Forward(const LayerInput& input) override;
  std::vector<bool> TypesWithRows(
      const std::vector<bool>& has_rows) const override {
    return has_rows;
  }
  std::shared_ptr<torch::nn::Module> module() const override { return module_; }

 private:
  // Has no parameters.
  const std::shared_ptr<torch::nn::Module> module_ =
      std::make_shared<torch::nn::Module>("OwnRows");
};

}  // namespace tributary

#endif  // TRIBUTARY_TRAINER_CLIENT_TORCH_NN_GRAPH_LAYER_H_
