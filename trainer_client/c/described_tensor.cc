#include "trainer_client/c/described_tensor.h"

#include <algorithm>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "common/tensor/dtype.h"

namespace tributary {

static_assert(TRIBUTARY_UINT8 == static_cast<int>(DType::kUint8));
static_assert(TRIBUTARY_INT8 == static_cast<int>(DType::kInt8));
static_assert(TRIBUTARY_INT16 == static_cast<int>(DType::kInt16));
static_assert(TRIBUTARY_INT32 == static_cast<int>(DType::kInt32));
static_assert(TRIBUTARY_INT64 == static_cast<int>(DType::kInt64));
static_assert(TRIBUTARY_FLOAT16 == static_cast<int>(DType::kFloat16));
static_assert(TRIBUTARY_BFLOAT16 == static_cast<int>(DType::kBFloat16));
static_assert(TRIBUTARY_FLOAT32 == static_cast<int>(DType::kFloat32));
static_assert(TRIBUTARY_FLOAT64 == static_cast<int>(DType::kFloat64));
static_assert(TRIBUTARY_BOOL == static_cast<int>(DType::kBool));

Shape StridesOf(const Shape& shape) {
  Shape strides(shape.size());
  int64_t stride = 1;
  for (size_t d = shape.size(); d-- > 0;) {
    strides[d] = stride;
    stride *= std::max<int64_t>(shape[d], 1);
  }
  return strides;
}

absl::StatusOr<size_t> FindTensor(const std::vector<TensorView>& tensors,
                                  const char* name,
                                  absl::FunctionRef<std::string()> whose) {
  const auto found = std::find_if(
      tensors.begin(), tensors.end(),
      [name](const TensorView& tensor) { return tensor.name == name; });
  if (found != tensors.end()) return found - tensors.begin();
  return absl::NotFoundError(absl::StrCat(
      whose(), " has no tensor \"", name, "\"; it has ",
      absl::StrJoin(tensors, ", ",
                    [](std::string* out, const TensorView& tensor) {
                      absl::StrAppend(out, tensor.name);
                    })));
}

tributary_tensor DescribeTensor(const TensorView& view, const Shape& strides) {
  return {.name = view.name.c_str(),
          .dtype_name = DTypeName(view.dtype).data(),
          .dtype = static_cast<int32_t>(view.dtype),
          .ndim = static_cast<int32_t>(view.shape.size()),
          .shape = view.shape.data(),
          .strides = strides.data(),
          .data = view.data.data(),
          .bytes = view.data.size()};
}

}  // namespace tributary
