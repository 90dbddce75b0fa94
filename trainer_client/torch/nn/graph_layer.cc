#include "trainer_client/torch/nn/graph_layer.h"

#include <ATen/ATen.h>

#include "trainer_client/torch/nn/dropout/keyed_dropout.h"
#include "trainer_client/torch/nn/first_rows.h"
#include "trainer_client/torch/nn/type_key.h"

namespace tributary {
namespace {

// Adds to a sum that may be undefined as yet.
void AddTo(at::Tensor& sum, const at::Tensor& term) {
  sum = sum.defined() ? sum + term : term;
}

// By relation: its edges in the layer; null where it has none.
std::vector<const RelationBlock*> BlocksByRelation(const LayerGraph& graph,
                                                   size_t num_relations) {
  std::vector<const RelationBlock*> blocks(num_relations, nullptr);
  for (const RelationBlock& block : graph.relations) {
    TORCH_CHECK(block.relation < num_relations, "a block of relation ",
                block.relation, ", allowed: 0 to ", num_relations - 1);
    blocks[block.relation] = &block;
  }
  return blocks;
}

Segments NoEdges(int64_t num_src, int64_t num_dst, const c10::Device& device) {
  const auto ints = at::TensorOptions(at::kInt).device(device);
  return {at::zeros({num_dst + 1}, ints), at::empty({0}, ints), num_src};
}

Segments SegmentsOf(const RelationBlock& block) {
  return {block.indptr, block.src, block.num_src};
}

}  // namespace

bool IsHomogeneous(const TypeTable& types) {
  return types.node_types.size() == 1 && types.relations.size() == 1 &&
         types.node_types[0] == "node" &&
         types.relations[0].name == "node,to,node";
}

HeteroConv::HeteroConv(const TypeTable& types, const MakeConv& make_conv)
    : types_(types) {
  for (const TypeTable::Relation& relation : types.relations) {
    convs_.push_back(make_conv(relation));
  }
  if (IsHomogeneous(types)) {
    module_ = convs_[0];
    return;
  }
  module_ = std::make_shared<torch::nn::Module>("HeteroConv");
  for (size_t r = 0; r < convs_.size(); ++r) {
    module_->register_module(TypeKey(types.relations[r].name), convs_[r]);
  }
}

TypeTensors HeteroConv::Forward(const LayerInput& input) {
  const LayerGraph& graph = input.graph;
  const auto blocks = BlocksByRelation(graph, convs_.size());
  TypeTensors out(types_.node_types.size());
  for (size_t r = 0; r < convs_.size(); ++r) {
    const auto& [name, src, dst] = types_.relations[r];
    const at::Tensor& x_src = input.x[src];
    const at::Tensor& x_dst = input.x[dst];
    if (!x_src.defined() || !x_dst.defined()) continue;
    const auto of_relation = [r](const std::vector<at::Tensor>& degrees) {
      return r < degrees.size() ? degrees[r] : at::Tensor();
    };
    AddTo(out[dst], convs_[r]->Forward(
                        {.x_src = x_src,
                         .x_dst = FirstRows(x_dst, graph.num_dst[dst]),
                         .segments = blocks[r] ? SegmentsOf(*blocks[r])
                                               : NoEdges(graph.num_src[src],
                                                         graph.num_dst[dst],
                                                         x_src.device()),
                         .in_degree = of_relation(input.in_degree),
                         .out_degree = of_relation(input.out_degree),
                         .draw_key = LayerDrawKey(input.draw_key, input.layer,
                                                  kRelationDraws + r)}));
  }
  return out;
}

std::vector<bool> HeteroConv::TypesWithRows(
    const std::vector<bool>& has_rows) const {
  std::vector<bool> out(types_.node_types.size(), false);
  for (const TypeTable::Relation& r : types_.relations) {
    if (has_rows.at(r.src_type) && has_rows.at(r.dst_type)) {
      out[r.dst_type] = true;
    }
  }
  return out;
}

std::shared_ptr<torch::nn::Module> HeteroConv::module() const {
  return module_;
}

RgcnLayer::RgcnLayer(const TypeTable& types, const RgcnConvOptions& options)
    : types_(types), conv_(std::make_shared<RgcnConv>(options)) {}

TypeTensors RgcnLayer::Forward(const LayerInput& input) {
  TypeTensors out(types_.node_types.size());
  for (size_t t = 0; t < out.size(); ++t) {
    out[t] = conv_->SelfLoop(FirstRows(input.x[t], input.graph.num_dst[t]));
  }
  if (input.graph.relations.empty()) return out;
  if (input.graph.relations[0].indptr.is_cpu()) {
    AddGrouped(input, out);
  } else {
    AddEach(input, out);
  }
  return out;
}

void RgcnLayer::AddGrouped(const LayerInput& input, TypeTensors& out) const {
  std::vector<int64_t> first_row{0};
  for (const at::Tensor& x : input.x) {
    first_row.push_back(first_row.back() + x.size(0));
  }
  std::vector<std::vector<RelationEdges>> edges(out.size());  // by destination
  for (const RelationBlock& block : input.graph.relations) {
    const TypeTable::Relation& relation = types_.relations.at(block.relation);
    edges[relation.dst_type].push_back(
        {.relation = static_cast<int64_t>(block.relation),
         .indptr = block.indptr,
         .src = block.src,
         .first_row = first_row[relation.src_type]});
  }
  const at::Tensor x = input.x.size() == 1 ? input.x[0] : at::cat(input.x);
  const at::Tensor weights = conv_->RelationWeights();
  for (size_t t = 0; t < out.size(); ++t) {
    if (edges[t].empty()) continue;
    AddTo(out[t],
          conv_->Messages(
              x, RelationGroups(edges[t], x.size(0), input.graph.num_dst[t]),
              weights));
  }
}

void RgcnLayer::AddEach(const LayerInput& input, TypeTensors& out) const {
  // Apart at once: the gradient of one of them is a tensor as large as all.
  const std::vector<at::Tensor> weights = conv_->RelationWeights().unbind(0);
  for (const RelationBlock& block : input.graph.relations) {
    const TypeTable::Relation& relation = types_.relations.at(block.relation);
    AddTo(out[relation.dst_type],
          conv_->Messages(input.x[relation.src_type], SegmentsOf(block),
                          weights.at(block.relation)));
  }
}

std::vector<bool> RgcnLayer::TypesWithRows(const std::vector<bool>&) const {
  return std::vector<bool>(types_.node_types.size(), true);
}

std::shared_ptr<torch::nn::Module> RgcnLayer::module() const { return conv_; }

TypeTensors OwnRows::Forward(const LayerInput& input) {
  TypeTensors out(input.x.size());
  for (size_t t = 0; t < out.size(); ++t) {
    if (!input.x[t].defined()) continue;
    out[t] = FirstRows(input.x[t], input.graph.num_dst[t]);
  }
  return out;
}

}  // namespace tributary
