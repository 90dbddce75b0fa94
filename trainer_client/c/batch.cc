#include <algorithm>
#include <cstring>
#include <string>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "common/tensor/dtype.h"
#include "common/text/status.h"
#include "trainer_client/c/call_guard.h"
#include "trainer_client/c/exported_tensor.h"
#include "trainer_client/c/handles.h"
#include "trainer_client/c/tributary.h"

namespace tributary {
namespace {

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

// Returns the strides of a row-major tensor, in elements.
Shape StridesOf(const Shape& shape) {
  Shape strides(shape.size());
  int64_t stride = 1;
  for (size_t d = shape.size(); d-- > 0;) {
    strides[d] = stride;
    stride *= std::max<int64_t>(shape[d], 1);
  }
  return strides;
}

// Writes a digest in hexadecimal, with its NUL.
void WriteHex(const Sha256Digest& digest, char* text) {
  const std::string hex = ToHex(digest);
  std::memcpy(text, hex.c_str(), hex.size() + 1);
}

const std::vector<TensorView>& TensorsOf(const tributary_batch& batch) {
  return batch.shared->lease.view().tensors();
}

void DescribeTensor(const tributary_batch& batch, size_t number,
                    tributary_tensor* tensor) {
  const TensorView& view = TensorsOf(batch)[number];
  *tensor = {.name = view.name.c_str(),
             .dtype_name = DTypeName(view.dtype).data(),
             .dtype = static_cast<int32_t>(view.dtype),
             .ndim = static_cast<int32_t>(view.shape.size()),
             .shape = view.shape.data(),
             .strides = batch.shared->strides[number].data(),
             .data = view.data.data(),
             .bytes = view.data.size()};
}

absl::StatusOr<size_t> FindTensor(const tributary_batch& batch,
                                  const char* name) {
  const std::vector<TensorView>& tensors = TensorsOf(batch);
  const auto found = std::find_if(
      tensors.begin(), tensors.end(),
      [name](const TensorView& tensor) { return tensor.name == name; });
  if (found != tensors.end()) return found - tensors.begin();
  return absl::NotFoundError(absl::StrCat(
      batch.shared->lease.view().key().ToString(), " has no tensor \"", name,
      "\"; it has ",
      absl::StrJoin(tensors, ", ",
                    [](std::string* out, const TensorView& tensor) {
                      absl::StrAppend(out, tensor.name);
                    })));
}

template <typename Managed>
tributary_status ExportByName(tributary_batch* batch, const char* name,
                              Managed** tensor) noexcept {
  return GuardCall([&]() -> absl::Status {
    RETURN_IF_ERROR(CheckGiven(tensor, "tensor"));
    *tensor = nullptr;
    RETURN_IF_ERROR(CheckHandle(batch, "batch"));
    RETURN_IF_ERROR(CheckGiven(name, "name"));
    ASSIGN_OR_RETURN(const size_t number, FindTensor(*batch, name));
    *tensor = ExportTensor<Managed>(batch->shared, number);
    return absl::OkStatus();
  });
}

}  // namespace

SharedBatch::SharedBatch(BatchLease delivered) : lease(std::move(delivered)) {
  for (const TensorView& tensor : lease.view().tensors()) {
    strides.push_back(StridesOf(tensor.shape));
  }
}

}  // namespace tributary

extern "C" {

tributary_status tributary_batch_get_key(tributary_batch* batch,
                                         tributary_batch_key* key) {
  return tributary::GuardCall([&]() -> absl::Status {
    RETURN_IF_ERROR(tributary::CheckHandle(batch, "batch"));
    RETURN_IF_ERROR(tributary::CheckGiven(key, "key"));
    const tributary::BatchKey& of_view = batch->shared->lease.view().key();
    key->epoch = of_view.epoch;
    key->index = of_view.index;
    key->num_tensors = tributary::TensorsOf(*batch).size();
    tributary::WriteHex(of_view.session, key->session);
    return absl::OkStatus();
  });
}

tributary_status tributary_batch_digest(tributary_batch* batch,
                                        char digest[65]) {
  return tributary::GuardCall([&]() -> absl::Status {
    RETURN_IF_ERROR(tributary::CheckHandle(batch, "batch"));
    RETURN_IF_ERROR(tributary::CheckGiven(digest, "digest"));
    tributary::WriteHex(batch->shared->lease.view().Digest(), digest);
    return absl::OkStatus();
  });
}

tributary_status tributary_batch_tensor_at(tributary_batch* batch,
                                           uint64_t number,
                                           tributary_tensor* tensor) {
  return tributary::GuardCall([&]() -> absl::Status {
    RETURN_IF_ERROR(tributary::CheckGiven(tensor, "tensor"));
    *tensor = {};
    RETURN_IF_ERROR(tributary::CheckHandle(batch, "batch"));
    const size_t count = tributary::TensorsOf(*batch).size();
    if (number >= count) {
      return absl::OutOfRangeError(absl::StrCat(
          "number is ", number, "; the batch has ", count, " tensors, from 0"));
    }
    tributary::DescribeTensor(*batch, number, tensor);
    return absl::OkStatus();
  });
}

tributary_status tributary_batch_tensor(tributary_batch* batch,
                                        const char* name,
                                        tributary_tensor* tensor) {
  return tributary::GuardCall([&]() -> absl::Status {
    RETURN_IF_ERROR(tributary::CheckGiven(tensor, "tensor"));
    *tensor = {};
    RETURN_IF_ERROR(tributary::CheckHandle(batch, "batch"));
    RETURN_IF_ERROR(tributary::CheckGiven(name, "name"));
    ASSIGN_OR_RETURN(const size_t number, tributary::FindTensor(*batch, name));
    tributary::DescribeTensor(*batch, number, tensor);
    return absl::OkStatus();
  });
}

tributary_status tributary_batch_dlpack(
    tributary_batch* batch, const char* name,
    struct DLManagedTensorVersioned** tensor) {
  return tributary::ExportByName(batch, name, tensor);
}

tributary_status tributary_batch_dlpack_unversioned(
    tributary_batch* batch, const char* name, struct DLManagedTensor** tensor) {
  return tributary::ExportByName(batch, name, tensor);
}

void tributary_batch_close(tributary_batch* batch) {
  if (batch == nullptr || !batch->InOwnProcess()) return;
  tributary::GuardClose([&] { delete batch; });
}

}  // extern "C"
