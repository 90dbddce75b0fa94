#include "trainer_client/torch/batch_tensors/scalar_type.h"

#include <string>
#include <utility>

#include "absl/strings/str_cat.h"

namespace tributary {
namespace {

constexpr std::pair<DType, at::ScalarType> kTypes[] = {
    {DType::kUint8, at::kByte},        {DType::kInt8, at::kChar},
    {DType::kInt16, at::kShort},       {DType::kInt32, at::kInt},
    {DType::kInt64, at::kLong},        {DType::kFloat16, at::kHalf},
    {DType::kBFloat16, at::kBFloat16}, {DType::kFloat32, at::kFloat},
    {DType::kFloat64, at::kDouble},    {DType::kBool, at::kBool},
};

}  // namespace

absl::StatusOr<at::ScalarType> ScalarTypeOf(DType dtype) {
  for (const auto& [ours, torchs] : kTypes) {
    if (ours == dtype) return torchs;
  }
  return absl::InvalidArgumentError(
      absl::StrCat("no torch dtype for code ", static_cast<int>(dtype)));
}

absl::StatusOr<DType> DTypeOf(at::ScalarType type) {
  for (const auto& [ours, torchs] : kTypes) {
    if (torchs == type) return ours;
  }
  return absl::InvalidArgumentError(
      absl::StrCat("tensors of type ", std::string(c10::toString(type)),
                   " cannot be stored"));
}

}  // namespace tributary
