#include "trainer_client/c/exported_tensor.h"

#include <type_traits>
#include <utility>

#include "common/tensor/dtype.h"
#include "common/tensor/tensor_view.h"
#include "trainer_client/c/call_guard.h"

namespace tributary {
namespace {

// The structure that a consumer sees, and what it keeps alive.
template <typename Managed>
struct ExportedTensor : ProcessBound {
  explicit ExportedTensor(std::shared_ptr<const SharedBatch> shared)
      : ProcessBound("tensor"), batch(std::move(shared)) {}

  const std::shared_ptr<const SharedBatch> batch;
  Managed managed{};
};

uint8_t CodeOf(DType dtype) {
  switch (dtype) {
    case DType::kUint8:
      return kDLUInt;
    case DType::kInt8:
    case DType::kInt16:
    case DType::kInt32:
    case DType::kInt64:
      return kDLInt;
    case DType::kFloat16:
    case DType::kFloat32:
    case DType::kFloat64:
      return kDLFloat;
    case DType::kBFloat16:
      return kDLBfloat;
    case DType::kBool:
      return kDLBool;
  }
  return kDLUInt;
}

// Nobody writes through the pointers; DLPack has no const.
DLTensor Describe(const TensorView& view, const Shape& strides) {
  constexpr size_t kBitsOfByte = 8;
  return {.data = const_cast<uint8_t*>(view.data.data()),
          .device = {.device_type = kDLCPU, .device_id = 0},
          .ndim = static_cast<int32_t>(view.shape.size()),
          .dtype = {.code = CodeOf(view.dtype),
                    .bits = static_cast<uint8_t>(kBitsOfByte *
                                                 DTypeSize(view.dtype)),
                    .lanes = 1},
          .shape = const_cast<int64_t*>(view.shape.data()),
          .strides = const_cast<int64_t*>(strides.data()),
          .byte_offset = 0};
}

// In a child of fork() the batch's ring has no owner that could take it back.
template <typename Managed>
void DeleteExported(Managed* self) {
  if (self == nullptr) return;
  auto* exported = static_cast<ExportedTensor<Managed>*>(self->manager_ctx);
  if (!exported->InOwnProcess()) return;
  GuardClose([&] { delete exported; });
}

}  // namespace

template <typename Managed>
Managed* ExportTensor(std::shared_ptr<const SharedBatch> batch, size_t number) {
  auto exported = std::make_unique<ExportedTensor<Managed>>(std::move(batch));
  const SharedBatch& shared = *exported->batch;
  Managed& managed = exported->managed;
  managed.dl_tensor =
      Describe(shared.lease.view().tensors()[number], shared.strides[number]);
  managed.manager_ctx = exported.get();
  managed.deleter = &DeleteExported<Managed>;
  if constexpr (std::is_same_v<Managed, DLManagedTensorVersioned>) {
    managed.version = {DLPACK_MAJOR_VERSION, DLPACK_MINOR_VERSION};
    managed.flags = DLPACK_FLAG_BITMASK_READ_ONLY;
  }
  return &exported.release()->managed;
}

template DLManagedTensorVersioned* ExportTensor(
    std::shared_ptr<const SharedBatch> batch, size_t number);
template DLManagedTensor* ExportTensor(std::shared_ptr<const SharedBatch> batch,
                                       size_t number);

}  // namespace tributary
