#include "trainer_client/torch/batch_tensors/torch_batch.h"

#include <ATen/ATen.h>

#include <numeric>
#include <string_view>
#include <utility>

#include "absl/strings/str_cat.h"
#include "common/text/status.h"
#include "trainer_client/torch/batch_tensors/catch_torch.h"
#include "trainer_client/torch/batch_tensors/scalar_type.h"

namespace tributary {
namespace {

// Returns the tensor `name`, checked to have the dtype and number of
// dimensions; an undefined one if it is optional and the batch has none.
class Fields {
 public:
  explicit Fields(const BatchLease& lease) : lease_(lease) {}

  absl::StatusOr<at::Tensor> Required(std::string_view name, DType dtype,
                                      size_t dims) const {
    const TensorView* view = lease_.view().Find(name);
    if (view == nullptr) {
      return absl::InvalidArgumentError(absl::StrCat(
          lease_.view().key().ToString(), " has no tensor \"",
          std::string(name), "\"; a homogeneous graph is needed here"));
    }
    if (view->dtype != dtype || view->shape.size() != dims) {
      return absl::InvalidArgumentError(absl::StrCat(
          std::string(name), " is ", std::string(DTypeName(view->dtype)),
          " of ", view->shape.size(), " dimensions, wanted ",
          std::string(DTypeName(dtype)), " of ", dims));
    }
    return ToTorch(*view, lease_.room());
  }

  absl::StatusOr<at::Tensor> Optional(std::string_view name,
                                      int64_t rows) const {
    const TensorView* view = lease_.view().Find(name);
    if (view == nullptr) return at::Tensor();
    if (view->shape.empty() || view->shape[0] != rows) {
      return absl::InvalidArgumentError(absl::StrCat(
          std::string(name), " has ", view->shape.empty() ? 0 : view->shape[0],
          " rows, wanted ", rows));
    }
    return ToTorch(*view, lease_.room());
  }

  // Returns the scales of int8 rows; undefined if the batch has none.
  absl::StatusOr<at::Tensor> Scales(std::string_view name, int64_t rows) const {
    if (lease_.view().Find(name) == nullptr) return at::Tensor();
    RETURN_IF_ERROR(Required(name, DType::kFloat32, 1).status());
    return Optional(name, rows);
  }

  absl::StatusOr<std::vector<int64_t>> Counts(std::string_view name,
                                              int64_t total) const {
    ASSIGN_OR_RETURN(const at::Tensor t, Required(name, DType::kInt64, 1));
    const int64_t* data = t.const_data_ptr<int64_t>();
    std::vector<int64_t> counts(data, data + t.numel());
    int64_t sum = 0;
    for (int64_t c : counts) {
      if (c < 0 || c > total - sum) {
        return absl::InvalidArgumentError(
            absl::StrCat(std::string(name), " does not add up to ", total));
      }
      sum += c;
    }
    if (sum != total) {
      return absl::InvalidArgumentError(absl::StrCat(
          std::string(name), " adds up to ", sum, ", wanted ", total));
    }
    return counts;
  }

 private:
  const BatchLease& lease_;
};

absl::Status CheckInputs(const TorchBatch& batch) {
  if (batch.num_sampled_nodes.size() != batch.num_sampled_edges.size() + 1) {
    return absl::InvalidArgumentError(
        "num_sampled_nodes needs one entry more than num_sampled_edges");
  }
  if (batch.num_sampled_nodes[0] != batch.batch_size) {
    return absl::InvalidArgumentError(
        absl::StrCat("num_sampled_nodes[0] is ", batch.num_sampled_nodes[0],
                     ", batch_size ", batch.batch_size));
  }
  if (batch.seed_index.numel() != batch.input_id.numel()) {
    return absl::InvalidArgumentError(
        absl::StrCat("seed_index has ", batch.seed_index.numel(),
                     " entries, input_id ", batch.input_id.numel()));
  }
  const int32_t* seed = batch.seed_index.const_data_ptr<int32_t>();
  for (int64_t i = 0; i < batch.seed_index.numel(); ++i) {
    if (seed[i] < 0 || seed[i] >= batch.batch_size) {
      return absl::InvalidArgumentError(absl::StrCat("seed_index[", i, "] is ",
                                                     seed[i], ", batch_size ",
                                                     batch.batch_size));
    }
  }
  return absl::OkStatus();
}

absl::Status FillBatch(const Fields& fields, TorchBatch& batch) {
  ASSIGN_OR_RETURN(const at::Tensor size,
                   fields.Required("batch_size", DType::kInt64, 1));
  if (size.numel() != 1) {
    return absl::InvalidArgumentError("batch_size needs one element");
  }
  batch.batch_size = *size.const_data_ptr<int64_t>();
  ASSIGN_OR_RETURN(batch.n_id, fields.Required("n_id", DType::kInt64, 1));
  ASSIGN_OR_RETURN(batch.input_id,
                   fields.Required("input_id", DType::kInt64, 1));
  ASSIGN_OR_RETURN(batch.seed_index,
                   fields.Required("seed_index", DType::kInt32, 1));
  ASSIGN_OR_RETURN(batch.edge_index,
                   fields.Required("edge_index", DType::kInt32, 2));
  const int64_t nodes = batch.n_id.numel();
  const int64_t edges = batch.edge_index.size(1);
  if (batch.edge_index.size(0) != 2) {
    return absl::InvalidArgumentError(
        absl::StrCat("edge_index is no [2, ", edges, "]"));
  }
  ASSIGN_OR_RETURN(batch.e_id, fields.Optional("e_id", edges));
  ASSIGN_OR_RETURN(batch.num_sampled_nodes,
                   fields.Counts("num_sampled_nodes", nodes));
  ASSIGN_OR_RETURN(batch.num_sampled_edges,
                   fields.Counts("num_sampled_edges", edges));
  ASSIGN_OR_RETURN(batch.x, fields.Optional("x", nodes));
  ASSIGN_OR_RETURN(batch.x_scale, fields.Scales("x_scale", nodes));
  ASSIGN_OR_RETURN(batch.y, fields.Optional("y", nodes));
  ASSIGN_OR_RETURN(batch.edge_attr, fields.Optional("edge_attr", edges));
  ASSIGN_OR_RETURN(batch.edge_attr_scale,
                   fields.Scales("edge_attr_scale", edges));
  return CheckInputs(batch);
}

}  // namespace

absl::StatusOr<at::Tensor> ToTorch(const TensorView& view,
                                   std::shared_ptr<const void> room) {
  ASSIGN_OR_RETURN(const at::ScalarType type, ScalarTypeOf(view.dtype));
  if (view.data.size() !=
      static_cast<uint64_t>(NumElements(view.shape)) * DTypeSize(view.dtype)) {
    return absl::InvalidArgumentError(
        absl::StrCat(view.name, " has ", view.data.size(), " bytes for ",
                     NumElements(view.shape), " elements of ",
                     std::string(DTypeName(view.dtype))));
  }
  at::Tensor tensor;
  const absl::Status status = CatchTorch(view.name, [&] {
    const at::IntArrayRef shape(view.shape.data(), view.shape.size());
    if (view.data.empty()) {
      tensor = at::empty(shape, type);  // from_blob requires an address
    } else {
      tensor = at::from_blob(
          const_cast<uint8_t*>(view.data.data()), shape,
          [room = std::move(room)](void*) {}, type);
    }
    return absl::OkStatus();
  });
  if (!status.ok()) return status;
  return tensor;
}

absl::StatusOr<std::map<std::string, at::Tensor>> ToTorchTensors(
    const BatchLease& lease) {
  std::map<std::string, at::Tensor> tensors;
  for (const TensorView& view : lease.view().tensors()) {
    ASSIGN_OR_RETURN(tensors[view.name], ToTorch(view, lease.room()));
  }
  return tensors;
}

absl::StatusOr<TorchBatch> ToTorchBatch(const BatchLease& lease) {
  TorchBatch batch;
  batch.index = lease.index();
  RETURN_IF_ERROR(FillBatch(Fields(lease), batch));
  return batch;
}

std::array<at::Tensor*, 10> TorchBatch::tensors() {
  return {&n_id, &e_id, &input_id,  &seed_index, &edge_index,
          &x,    &y,    &edge_attr, &x_scale,    &edge_attr_scale};
}

at::Tensor Dequantized(const at::Tensor& rows, const at::Tensor& scale) {
  const at::Tensor values = rows.to(at::kFloat);
  if (!scale.defined()) return values;
  return values.dim() == 1 ? values * scale : values * scale.unsqueeze(1);
}

TorchBatch TorchBatch::To(const c10::Device& device) const {
  TorchBatch moved = *this;
  for (at::Tensor* t : moved.tensors()) {
    if (t->defined()) *t = t->to(device);
  }
  return moved;
}

}  // namespace tributary
