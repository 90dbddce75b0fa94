#include "trainer_client/torch/batch_tensors/tensor_inputs.h"

#include <ATen/ATen.h>

#include <sstream>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "common/text/status.h"
#include "trainer_client/torch/batch_tensors/catch_torch.h"

namespace tributary {
namespace {

absl::Status Refuse(absl::string_view option, const at::Tensor& given,
                    absl::string_view allowed) {
  if (!given.defined()) {
    return absl::InvalidArgumentError(
        absl::StrCat(option, " is an undefined tensor; allowed: ", allowed));
  }
  std::ostringstream what;
  what << given.scalar_type() << " of shape " << given.sizes();
  return absl::InvalidArgumentError(
      absl::StrCat(option, " is ", what.str(), "; allowed: ", allowed));
}

bool Is(const at::Tensor& tensor, int64_t dims, at::ScalarType a,
        at::ScalarType b) {
  return tensor.defined() && tensor.dim() == dims &&
         (tensor.scalar_type() == a || tensor.scalar_type() == b);
}
bool Is(const at::Tensor& tensor, int64_t dims, at::ScalarType type) {
  return Is(tensor, dims, type, type);
}

// Sets `to` to the tensor's values; leaves it unchanged after an error.
template <typename T, typename U>
absl::Status Copy(absl::string_view option, const at::Tensor& tensor,
                  at::ScalarType type, std::vector<U>* to) {
  return CatchTorch(std::string_view(option.data(), option.size()), [&] {
    const at::Tensor here = tensor.to(at::kCPU, type).contiguous();
    const T* data = here.const_data_ptr<T>();
    to->assign(data, data + here.numel());
    return absl::OkStatus();
  });
}

absl::Status CopyIds(absl::string_view option, const at::Tensor& tensor,
                     std::vector<int64_t>* to) {
  return Copy<int64_t>(option, tensor, at::kLong, to);
}

absl::Status CopyTimes(absl::string_view option, const at::Tensor& time,
                       std::vector<int64_t>* to) {
  if (!Is(time, 1, at::kLong)) return Refuse(option, time, "int64 [n]");
  return CopyIds(option, time, to);
}

}  // namespace

absl::Status SetInputNodes(const at::Tensor& nodes,
                           CommonLoaderOptions* options) {
  if (Is(nodes, 1, at::kBool)) {
    return Copy<uint8_t>("input_nodes", nodes, at::kByte, &options->input_mask);
  }
  if (Is(nodes, 1, at::kLong, at::kInt)) {
    return CopyIds("input_nodes", nodes, &options->input_nodes);
  }
  return Refuse("input_nodes", nodes, "int64 or int32 [n], bool [nodes]");
}

absl::Status SetInputTime(const at::Tensor& time,
                          NeighborLoaderOptions* options) {
  return CopyTimes("input_time", time, &options->input_time);
}

absl::Status SetInputWeight(const at::Tensor& weight,
                            CommonLoaderOptions* options) {
  if (!Is(weight, 1, at::kDouble, at::kFloat)) {
    return Refuse("input_weight", weight, "float64 or float32 [n]");
  }
  return Copy<double>("input_weight", weight, at::kDouble,
                      &options->input_weight);
}

absl::Status SetEdgeLabelIndex(const at::Tensor& index,
                               EdgeTypeLinks* options) {
  if (!Is(index, 2, at::kLong) || index.size(0) != 2) {
    return Refuse("edge_label_index", index, "int64 [2, n]");
  }
  std::vector<int64_t> ends;
  RETURN_IF_ERROR(CopyIds("edge_label_index", index, &ends));
  const auto middle = ends.begin() + index.size(1);
  options->source.assign(ends.begin(), middle);
  options->destination.assign(middle, ends.end());
  return absl::OkStatus();
}

absl::Status SetEdgeLabel(const at::Tensor& label, EdgeTypeLinks* options) {
  if (Is(label, 1, at::kFloat)) {
    return Copy<float>("edge_label", label, at::kFloat,
                       &options->edge_label_float);
  }
  if (Is(label, 1, at::kLong)) {
    return CopyIds("edge_label", label, &options->edge_label);
  }
  return Refuse("edge_label", label, "int64 or float32 [n]");
}

absl::Status SetEdgeLabelTime(const at::Tensor& time, EdgeTypeLinks* options) {
  return CopyTimes("edge_label_time", time, &options->edge_label_time);
}

absl::Status SetNegDestination(const at::Tensor& destinations,
                               LinkNeighborLoaderOptions* options) {
  return SetNegDestination(destinations, options, &options->neg_sampling);
}

absl::Status SetNegDestination(const at::Tensor& destinations,
                               EdgeTypeLinks* links,
                               NegativeSampling* negatives) {
  if (!Is(destinations, 2, at::kLong) || destinations.size(1) == 0) {
    return Refuse("neg_destination", destinations, "int64 [n, 1 or more]");
  }
  RETURN_IF_ERROR(
      CopyIds("neg_destination", destinations, &links->neg_destination));
  negatives->amount = static_cast<double>(destinations.size(1));
  return absl::OkStatus();
}

}  // namespace tributary
