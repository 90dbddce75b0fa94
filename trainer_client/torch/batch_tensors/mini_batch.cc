#include "trainer_client/torch/batch_tensors/mini_batch.h"

#include <ATen/ATen.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <utility>

#include "absl/strings/str_cat.h"
#include "common/text/status.h"
#include "trainer_client/core/batch/hetero_batch.h"
#include "trainer_client/torch/batch_tensors/sampled_layers.h"
#include "trainer_client/torch/batch_tensors/torch_batch.h"

namespace tributary {
namespace {

// The finaliser of splitmix64, which mixes all bits.
uint64_t Mix(uint64_t z) {
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
  z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
  return z ^ (z >> 31);
}

uint64_t DrawKey(uint64_t seed, uint64_t epoch, uint64_t index) {
  constexpr uint64_t kStep = 0x9e3779b97f4a7c15;
  return Mix(Mix(Mix(seed + kStep) + epoch + kStep) + index + kStep);
}

// Returns a tensor that owns the vector's memory.
at::Tensor TensorOf(std::vector<int32_t> values) {
  const auto size = static_cast<int64_t>(values.size());
  if (size == 0) return at::empty({0}, at::kInt);
  auto* owner = new std::vector<int32_t>(std::move(values));
  return at::from_blob(
      owner->data(), {size}, [owner](void*) { delete owner; }, at::kInt);
}

// Returns x as models read it: float32, two dimensions.
at::Tensor Features(const at::Tensor& stored, const at::Tensor& scale,
                    bool row_normalize) {
  at::Tensor x = Dequantized(stored, scale);
  if (x.dim() == 1) x = x.unsqueeze(1);
  if (!row_normalize) return x;
  const at::Tensor sums = x.sum(1, /*keepdim=*/true);
  return x / sums.masked_fill(sums == 0, 1);
}

template <typename T>
at::Tensor CopyOf(absl::Span<const T> values, at::ScalarType type) {
  at::Tensor copy = at::empty({static_cast<int64_t>(values.size())}, type);
  std::copy(values.begin(), values.end(), copy.mutable_data_ptr<T>());
  return copy;
}

// Makes one MiniBatch.
class Maker {
 public:
  Maker(const BatchLease& lease, const GraphSchema& schema,
        const TypeTable& types, const MiniBatchOptions& options,
        const c10::Device& device)
      : lease_(lease),
        schema_(schema),
        types_(types),
        options_(options),
        device_(device) {}

  absl::StatusOr<MiniBatch> Make(DeviceCopies& copies) {
    ASSIGN_OR_RETURN(view_, ToTypedBatch(lease_.view(), schema_));
    batch_.epoch = options_.epoch;
    batch_.index = lease_.index();
    batch_.draw_key =
        DrawKey(options_.random_seed, options_.epoch, batch_.index);
    // The copies run while layers are made.
    ASSIGN_OR_RETURN(const std::vector<at::Tensor> moved, StartCopies(copies));
    RETURN_IF_ERROR(AddLayers());
    TakeCopies(moved);
    if (view_.links.empty()) {
      RETURN_IF_ERROR(AddInputs());
    } else {
      RETURN_IF_ERROR(AddLinks());
    }
    return std::move(batch_);
  }

 private:
  const HeteroNodes* NodesOf(size_t type) const {
    const auto it = view_.nodes.find(types_.node_types[type]);
    return it == view_.nodes.end() ? nullptr : &it->second;
  }
  const HeteroEdges* EdgesOf(size_t relation) const {
    const auto it = view_.edges.find(types_.relations[relation].name);
    return it == view_.edges.end() ? nullptr : &it->second;
  }

  absl::StatusOr<at::Tensor> TensorIn(const TensorView& view) const {
    return ToTorch(view, lease_.room());
  }
  absl::Status Add(const std::optional<TensorView>& view,
                   std::vector<at::Tensor>& to) const {
    to.emplace_back();
    if (!view.has_value()) return absl::OkStatus();
    ASSIGN_OR_RETURN(to.back(), TensorIn(*view));
    return absl::OkStatus();
  }
  // Starts the copies of all that is large, in the order of TakeCopies.
  absl::StatusOr<std::vector<at::Tensor>> StartCopies(DeviceCopies& copies) {
    std::vector<at::Tensor> host;
    for (size_t t = 0; t < types_.node_types.size(); ++t) {
      const HeteroNodes* nodes = NodesOf(t);
      const HeteroNodes none;
      if (nodes == nullptr) nodes = &none;
      RETURN_IF_ERROR(Add(nodes->x, host));
      RETURN_IF_ERROR(Add(nodes->x_scale, host));
    }
    for (size_t r = 0; r < types_.relations.size(); ++r) {
      const HeteroEdges* edges = EdgesOf(r);
      const HeteroEdges none;
      if (edges == nullptr) edges = &none;
      RETURN_IF_ERROR(Add(edges->edge_attr, host));
      RETURN_IF_ERROR(Add(edges->edge_attr_scale, host));
      RETURN_IF_ERROR(Add(edges->in_degree, host));
      RETURN_IF_ERROR(Add(edges->out_degree, host));
    }
    return copies.Start(std::move(host));
  }

  void TakeCopies(const std::vector<at::Tensor>& moved) {
    auto next = moved.begin();
    for (size_t t = 0; t < types_.node_types.size(); ++t, next += 2) {
      batch_.x.push_back(
          next->defined() ? Features(next[0], next[1], options_.row_normalize)
                          : at::Tensor());
      const HeteroNodes* nodes = NodesOf(t);
      batch_.n_id.push_back(nodes == nullptr
                                ? at::empty({0}, at::kLong)
                                : CopyOf(nodes->n_id, at::kLong).to(device_));
    }
    for (size_t r = 0; r < types_.relations.size(); ++r, next += 4) {
      batch_.edge_attr.push_back(
          next->defined() ? Features(next[0], next[1], false) : at::Tensor());
      batch_.in_degree.push_back(next[2]);
      batch_.out_degree.push_back(next[3]);
    }
  }

  absl::Status AddLayers() {
    SampledHops hops;
    hops.expand_all = options_.expand_all;
    for (size_t t = 0; t < types_.node_types.size(); ++t) {
      const HeteroNodes* nodes = NodesOf(t);
      hops.nodes.push_back(nodes == nullptr ? absl::Span<const int64_t>()
                                            : nodes->num_sampled_nodes);
      if (!hops.nodes.back().empty()) hops.hops = hops.nodes.back().size() - 1;
    }
    const std::vector<int64_t> none(hops.hops, 0);
    for (size_t r = 0; r < types_.relations.size(); ++r) {
      const HeteroEdges* edges = EdgesOf(r);
      const TypeTable::Relation& relation = types_.relations[r];
      SampledRelation sampled{.src_type = relation.src_type,
                              .dst_type = relation.dst_type,
                              .edges = none};
      if (edges != nullptr) {
        sampled.src = edges->src;
        sampled.dst = edges->dst;
        sampled.edges = edges->num_sampled_edges;
      }
      hops.relations.push_back(sampled);
    }
    ASSIGN_OR_RETURN(SampledLayers made, MakeLayers(hops));
    AddLayers(std::move(made));
    return absl::OkStatus();
  }

  void AddLayers(SampledLayers made) {
    struct Csr {
      at::Tensor indptr, src, edge;
    };
    std::vector<Csr> csrs;
    std::vector<size_t> relation_of;
    for (EdgeCsr& csr : made.csrs) {
      relation_of.push_back(csr.relation);
      csrs.push_back({TensorOf(std::move(csr.indptr)).to(device_),
                      TensorOf(std::move(csr.src)).to(device_),
                      TensorOf(std::move(csr.edge)).to(device_)});
    }
    for (SampledLayer& layer : made.layers) {
      LayerGraph graph{std::move(layer.num_src), std::move(layer.num_dst), {}};
      for (const CsrPrefix& prefix : layer.relations) {
        const Csr& csr = csrs[prefix.csr];
        graph.relations.push_back(
            {.relation = relation_of[prefix.csr],
             .num_src = prefix.num_src,
             .num_dst = prefix.num_dst,
             .indptr = csr.indptr.slice(0, 0, prefix.num_dst + 1),
             .src = csr.src.slice(0, 0, prefix.num_edges),
             .edge = csr.edge.slice(0, 0, prefix.num_edges)});
      }
      std::sort(graph.relations.begin(), graph.relations.end(),
                [](const RelationBlock& a, const RelationBlock& b) {
                  return a.relation < b.relation;
                });
      batch_.layers.push_back(std::move(graph));
    }
  }

  absl::Status AddInputs() {
    const int type = types_.NodeType(view_.input_type);
    if (type < 0) {
      return absl::InvalidArgumentError(
          absl::StrCat("the batch's inputs are of type ", view_.input_type,
                       ", which the graph does not have"));
    }
    batch_.input_type = static_cast<size_t>(type);
    const at::Tensor seed_index = CopyOf(view_.seed_index, at::kInt);
    batch_.seed_index = seed_index.to(device_);
    batch_.input_id = CopyOf(view_.input_id, at::kLong);
    const HeteroNodes* nodes = NodesOf(batch_.input_type);
    for (int32_t seed : view_.seed_index) {
      if (nodes == nullptr || seed < 0 || seed >= view_.batch_size) {
        return absl::InvalidArgumentError(
            absl::StrCat("seed_index has ", seed, "; allowed: 0 to batch_size ",
                         view_.batch_size, " - 1"));
      }
    }
    if (nodes == nullptr || !nodes->y.has_value()) return absl::OkStatus();
    ASSIGN_OR_RETURN(const at::Tensor y, TensorIn(*nodes->y));
    batch_.y = y.index_select(0, seed_index);
    return absl::OkStatus();
  }

  // Rows as int64, which index_select takes on every device.
  absl::StatusOr<at::Tensor> Index(const std::optional<TensorView>& view) {
    if (!view.has_value()) return at::Tensor();
    ASSIGN_OR_RETURN(const at::Tensor index, TensorIn(*view));
    return index.to(at::kLong).to(device_);
  }

  absl::Status AddLinks() {
    for (size_t r = 0; r < types_.relations.size(); ++r) {
      const auto it = view_.links.find(types_.relations[r].name);
      if (it == view_.links.end()) continue;
      const HeteroLinks& links = it->second;
      LinkLabels labels{.relation = r};
      labels.input_id = CopyOf(links.input_id, at::kLong);
      ASSIGN_OR_RETURN(labels.edge_label_index, Index(links.edge_label_index));
      if (links.edge_label.has_value()) {
        ASSIGN_OR_RETURN(const at::Tensor label, TensorIn(*links.edge_label));
        labels.edge_label = label.to(at::kFloat).to(device_);
      }
      ASSIGN_OR_RETURN(labels.src_index, Index(links.src_index));
      ASSIGN_OR_RETURN(labels.dst_pos_index, Index(links.dst_pos_index));
      ASSIGN_OR_RETURN(labels.dst_neg_index, Index(links.dst_neg_index));
      if (labels.dst_neg_index.defined() && labels.dst_neg_index.dim() == 1) {
        labels.dst_neg_index = labels.dst_neg_index.unsqueeze(1);
      }
      batch_.links.push_back(std::move(labels));
    }
    return absl::OkStatus();
  }

  const BatchLease& lease_;
  const GraphSchema& schema_;
  const TypeTable& types_;
  const MiniBatchOptions& options_;
  const c10::Device device_;
  HeteroBatch view_;
  MiniBatch batch_;
};

}  // namespace

TypeTable TypeTable::From(const GraphSchema& schema) {
  TypeTable table;
  if (!schema.heterogeneous) {
    table.node_types = {"node"};
    table.relations = {{"node,to,node", 0, 0}};
    const NodeTypeSchema& node = schema.node_types.at(0);
    table.feature_dim = {node.x ? std::max<int64_t>(1, node.x->dim) : 0};
    table.num_nodes = {node.num_nodes};
    return table;
  }
  for (const NodeTypeSchema& node : schema.node_types) {
    table.node_types.push_back(node.name);
    table.feature_dim.push_back(node.x ? std::max<int64_t>(1, node.x->dim) : 0);
    table.num_nodes.push_back(node.num_nodes);
  }
  for (size_t t = 0; t < schema.edge_types.size(); ++t) {
    if (!schema.IsVisible(static_cast<int>(t))) continue;
    const EdgeTypeSchema& edge = schema.edge_types[t];
    table.relations.push_back({edge.name(),
                               static_cast<size_t>(table.NodeType(edge.src)),
                               static_cast<size_t>(table.NodeType(edge.dst))});
  }
  return table;
}

int TypeTable::NodeType(std::string_view name) const {
  const auto it = std::find(node_types.begin(), node_types.end(), name);
  return it == node_types.end() ? -1
                                : static_cast<int>(it - node_types.begin());
}

absl::StatusOr<MiniBatch> MakeMiniBatch(const BatchLease& lease,
                                        const GraphSchema& schema,
                                        const TypeTable& types,
                                        const MiniBatchOptions& options,
                                        const c10::Device& device,
                                        DeviceCopies& copies) {
  return Maker(lease, schema, types, options, device).Make(copies);
}

}  // namespace tributary
