#include "trainer_client/torch/checkpoint/tensor_file.h"

#include <ATen/ATen.h>

#include <algorithm>
#include <cstring>
#include <optional>
#include <set>
#include <sstream>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "common/tensor/tensor_view.h"
#include "common/text/status.h"
#include "trainer_client/torch/batch_tensors/catch_torch.h"
#include "trainer_client/torch/batch_tensors/scalar_type.h"
#include "trainer_client/torch/checkpoint/safetensors.h"

namespace tributary {
namespace {

std::string ShapeText(const at::Tensor& tensor) {
  std::ostringstream text;
  text << tensor.scalar_type() << " " << tensor.sizes();
  return text.str();
}

absl::Status OtherTensors(const std::string& path, const std::string& what) {
  return absl::FailedPreconditionError(
      absl::StrCat(path, ": ", what,
                   "; allowed: a file of the same model, task and optimizer"));
}

std::string Listed(const std::vector<std::string>& names) {
  constexpr size_t kMost = 8;
  const size_t shown = std::min(kMost, names.size());
  std::string text = absl::StrJoin(names.begin(), names.begin() + shown, ", ");
  if (shown < names.size()) {
    absl::StrAppend(&text, " and ", names.size() - shown, " more");
  }
  return text;
}

std::string OtherNames(const std::vector<std::string>& missing,
                       const std::vector<std::string>& unknown) {
  std::vector<std::string> parts;
  if (!missing.empty()) {
    parts.push_back(absl::StrCat("has no tensor ", Listed(missing)));
  }
  if (!unknown.empty()) {
    parts.push_back(absl::StrCat("has the unknown tensor ", Listed(unknown)));
  }
  return absl::StrJoin(parts, ", and ");
}

absl::Status CheckSame(const std::string& path,
                       const std::map<std::string, at::Tensor>& file,
                       const NamedTensors& tensors) {
  std::set<std::string> needed;
  std::vector<std::string> missing, unknown;
  for (const auto& [name, tensor] : tensors) {
    needed.insert(name);
    if (file.count(name) == 0) missing.push_back(name);
  }
  for (const auto& [name, tensor] : file) {
    if (needed.count(name) == 0) unknown.push_back(name);
  }
  if (!missing.empty() || !unknown.empty()) {
    return OtherTensors(path, OtherNames(missing, unknown));
  }
  for (const auto& [name, tensor] : tensors) {
    const auto it = file.find(name);
    if (it->second.sizes() != tensor.sizes() ||
        it->second.scalar_type() != tensor.scalar_type()) {
      return OtherTensors(
          path, absl::StrCat("tensor ", name, " is ", ShapeText(it->second),
                             ", needed is ", ShapeText(tensor)));
    }
  }
  return absl::OkStatus();
}

}  // namespace

absl::Status WriteTensors(const std::string& path, const NamedTensors& tensors,
                          const SafetensorsMetadata& metadata) {
  return CatchTorch("write tensors", [&]() -> absl::Status {
    std::vector<at::Tensor> keep;  // contiguous, on the CPU
    std::vector<TensorView> views;
    for (const auto& [name, tensor] : tensors) {
      keep.push_back(tensor.detach().to(at::kCPU).contiguous());
      const at::Tensor& t = keep.back();
      ASSIGN_OR_RETURN(const DType dtype, DTypeOf(t.scalar_type()));
      views.push_back(
          {name, dtype, Shape(t.sizes().begin(), t.sizes().end()),
           absl::MakeConstSpan(static_cast<const uint8_t*>(t.const_data_ptr()),
                               t.nbytes())});
    }
    return WriteSafetensors(path, views, metadata);
  });
}

absl::StatusOr<std::map<std::string, at::Tensor>> ReadTensors(
    const std::string& path) {
  ASSIGN_OR_RETURN(const SafetensorsFile file, SafetensorsFile::Open(path));
  std::map<std::string, at::Tensor> tensors;
  RETURN_IF_ERROR(CatchTorch("read tensors", [&]() -> absl::Status {
    for (const TensorView& view : file.tensors()) {
      ASSIGN_OR_RETURN(const at::ScalarType type, ScalarTypeOf(view.dtype));
      at::Tensor tensor = at::empty(
          at::IntArrayRef(view.shape.data(), view.shape.size()), type);
      if (!view.data.empty()) {
        std::memcpy(tensor.mutable_data_ptr(), view.data.data(),
                    view.data.size());
      }
      tensors[view.name] = std::move(tensor);
    }
    return absl::OkStatus();
  }));
  return tensors;
}

absl::Status LoadTensors(const std::string& path, const NamedTensors& tensors) {
  ASSIGN_OR_RETURN(const auto file, ReadTensors(path));
  RETURN_IF_ERROR(CheckSame(path, file, tensors));
  return CatchTorch("load tensors", [&] {
    for (const auto& [name, tensor] : tensors) {
      tensor.detach().copy_(file.at(name));
    }
    return absl::OkStatus();
  });
}

}  // namespace tributary
