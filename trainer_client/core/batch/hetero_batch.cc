#include "trainer_client/core/batch/hetero_batch.h"

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "common/text/status.h"

namespace tributary {
namespace {

absl::Status NotThat(const TensorView& tensor, absl::string_view wanted) {
  const auto dtype = DTypeName(tensor.dtype);
  return absl::DataLossError(
      absl::StrCat("tensor ", tensor.name, " is ", std::string(dtype), " [",
                   absl::StrJoin(tensor.shape, ", "), "]; wanted: ", wanted));
}

// Reads the tensors of one type, whose names end in its name where the graph is
// typed.
class Suffixed {
 public:
  Suffixed(const BatchView& batch, const GraphSchema& schema,
           const std::string& type)
      : batch_(batch), suffix_(schema.heterogeneous ? "/" + type : "") {}

  const TensorView* Find(const std::string& name) const {
    return batch_.Find(name + suffix_);
  }
  absl::StatusOr<const TensorView*> Require(const std::string& name) const {
    const TensorView* tensor = Find(name);
    if (tensor != nullptr) return tensor;
    return absl::DataLossError(
        absl::StrCat("the batch has no tensor ", name, suffix_));
  }
  template <typename T>
  absl::Status Vector(const std::string& name, DType dtype,
                      absl::Span<const T>* out) const {
    ASSIGN_OR_RETURN(const TensorView* const tensor, Require(name));
    if (tensor->dtype != dtype || tensor->shape.size() != 1) {
      return NotThat(*tensor, "one dimension of whole numbers");
    }
    *out = tensor->As<T>();
    return absl::OkStatus();
  }
  absl::Status Rows(const std::string& name, size_t rows,
                    std::optional<TensorView>* out) const {
    const TensorView* const tensor = Find(name);
    if (tensor == nullptr) return absl::OkStatus();
    if (tensor->shape.empty() ||
        tensor->shape[0] != static_cast<int64_t>(rows)) {
      return NotThat(*tensor, absl::StrCat(rows, " rows"));
    }
    *out = *tensor;
    return absl::OkStatus();
  }

 private:
  const BatchView& batch_;
  const std::string suffix_;
};

// Of a supervision type; of the only one, triplets are of its ends' types.
absl::Status ReadLinksOf(const BatchView& batch, const GraphSchema& schema,
                         const EdgeTypeSchema& type, const Suffixed& in,
                         HeteroLinks* links) {
  RETURN_IF_ERROR(in.Vector("input_id", DType::kInt64, &links->input_id));
  const size_t n = links->input_id.size();
  RETURN_IF_ERROR(in.Rows("edge_label_index", 2, &links->edge_label_index));
  if (links->edge_label_index.has_value()) {
    const Shape& shape = links->edge_label_index->shape;
    if (shape.size() != 2) {
      return NotThat(*links->edge_label_index, "two rows");
    }
    const auto all = static_cast<size_t>(shape[1]);
    RETURN_IF_ERROR(in.Rows("edge_label", all, &links->edge_label));
    return in.Rows("edge_label_time", all, &links->edge_label_time);
  }
  // Those of several types have names of their own.
  const bool own = in.Find("src_index") != nullptr;
  const Suffixed src = own ? in : Suffixed(batch, schema, type.src);
  const Suffixed dst = own ? in : Suffixed(batch, schema, type.dst);
  RETURN_IF_ERROR(src.Rows("src_index", n, &links->src_index));
  RETURN_IF_ERROR(dst.Rows("dst_pos_index", n, &links->dst_pos_index));
  RETURN_IF_ERROR(dst.Rows("dst_neg_index", n, &links->dst_neg_index));
  return src.Rows("seed_time", n, &links->seed_time);
}

absl::Status ReadLinks(const BatchView& batch, const GraphSchema& schema,
                       HeteroBatch* out) {
  for (size_t t = 0; t < schema.edge_types.size(); ++t) {
    if (!schema.IsVisible(static_cast<int>(t))) continue;
    const EdgeTypeSchema& type = schema.edge_types[t];
    const Suffixed in(batch, schema,
                      type.src + "__" + type.rel + "__" + type.dst);
    if (in.Find("input_id") == nullptr) continue;
    RETURN_IF_ERROR(
        ReadLinksOf(batch, schema, type, in, &out->links[type.name()]));
  }
  if (!out->links.empty()) return absl::OkStatus();
  return absl::DataLossError(
      absl::StrCat("the batch has inputs of no type of ", schema.name));
}

absl::Status ReadInputs(const BatchView& batch, const GraphSchema& schema,
                        HeteroBatch* out) {
  for (const NodeTypeSchema& type : schema.node_types) {
    const Suffixed in(batch, schema, type.name);
    if (in.Find("batch_size") == nullptr) continue;  // links have none
    out->input_type = type.name;
    absl::Span<const int64_t> batch_size;
    RETURN_IF_ERROR(in.Vector("batch_size", DType::kInt64, &batch_size));
    RETURN_IF_ERROR(in.Vector("input_id", DType::kInt64, &out->input_id));
    RETURN_IF_ERROR(in.Vector("seed_index", DType::kInt32, &out->seed_index));
    if (batch_size.size() != 1) {
      return NotThat(*in.Find("batch_size"), "one element");
    }
    out->batch_size = batch_size[0];
    return absl::OkStatus();
  }
  return ReadLinks(batch, schema, out);
}

absl::StatusOr<HeteroNodes> ReadNodes(const Suffixed& in) {
  HeteroNodes nodes;
  RETURN_IF_ERROR(in.Vector("n_id", DType::kInt64, &nodes.n_id));
  RETURN_IF_ERROR(
      in.Vector("num_sampled_nodes", DType::kInt64, &nodes.num_sampled_nodes));
  RETURN_IF_ERROR(in.Rows("x", nodes.n_id.size(), &nodes.x));
  RETURN_IF_ERROR(in.Rows("x_scale", nodes.n_id.size(), &nodes.x_scale));
  RETURN_IF_ERROR(in.Rows("y", nodes.n_id.size(), &nodes.y));
  RETURN_IF_ERROR(in.Rows("batch", nodes.n_id.size(), &nodes.batch));
  RETURN_IF_ERROR(in.Rows("z", nodes.n_id.size(), &nodes.z));
  return nodes;
}

absl::StatusOr<HeteroEdges> ReadEdges(const Suffixed& in) {
  HeteroEdges edges;
  ASSIGN_OR_RETURN(const TensorView* const index, in.Require("edge_index"));
  if (index->dtype != DType::kInt32 || index->shape.size() != 2 ||
      index->shape[0] != 2) {
    return NotThat(*index, "int32 [2, E]");
  }
  const auto n = static_cast<size_t>(index->shape[1]);
  if (const TensorView* const ids = in.Find("e_id"); ids != nullptr) {
    RETURN_IF_ERROR(in.Vector("e_id", DType::kInt64, &edges.e_id));
    if (edges.e_id.size() != n) return NotThat(*ids, absl::StrCat("[", n, "]"));
  }
  edges.src = index->As<int32_t>().first(n);
  edges.dst = index->As<int32_t>().subspan(n);
  if (in.Find("num_sampled_edges") != nullptr) {
    RETURN_IF_ERROR(in.Vector("num_sampled_edges", DType::kInt64,
                              &edges.num_sampled_edges));
  }
  RETURN_IF_ERROR(in.Rows("edge_attr", n, &edges.edge_attr));
  RETURN_IF_ERROR(in.Rows("edge_attr_scale", n, &edges.edge_attr_scale));
  RETURN_IF_ERROR(in.Rows("edge_weight", n, &edges.edge_weight));
  return edges;
}

}  // namespace

absl::StatusOr<HeteroBatch> ToHeteroBatch(const BatchView& batch,
                                          const GraphSchema& schema) {
  if (!schema.heterogeneous) {
    return absl::InvalidArgumentError(
        absl::StrCat("graph ", schema.name,
                     " is homogeneous: its batches have no types; "
                     "their tensors are BatchView::Find(\"n_id\") and so on"));
  }
  return ToTypedBatch(batch, schema);
}

absl::StatusOr<HeteroBatch> ToTypedBatch(const BatchView& batch,
                                         const GraphSchema& schema) {
  HeteroBatch result;
  RETURN_IF_ERROR(ReadInputs(batch, schema, &result));
  for (const NodeTypeSchema& type : schema.node_types) {
    const Suffixed in(batch, schema, type.name);
    if (in.Find("n_id") == nullptr) continue;
    ASSIGN_OR_RETURN(result.nodes[type.name], ReadNodes(in));
  }
  for (size_t t = 0; t < schema.edge_types.size(); ++t) {
    if (!schema.IsVisible(static_cast<int>(t))) continue;
    const EdgeTypeSchema& type = schema.edge_types[t];
    const Suffixed in(batch, schema,
                      type.src + "__" + type.rel + "__" + type.dst);
    if (in.Find("edge_index") == nullptr) continue;
    ASSIGN_OR_RETURN(HeteroEdges edges, ReadEdges(in));
    RETURN_IF_ERROR(in.Rows("in_degree", result.nodes[type.dst].n_id.size(),
                            &edges.in_degree));
    RETURN_IF_ERROR(in.Rows("out_degree", result.nodes[type.src].n_id.size(),
                            &edges.out_degree));
    result.edges[type.name()] = std::move(edges);
  }
  return result;
}

}  // namespace tributary
