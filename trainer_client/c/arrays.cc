#include "trainer_client/c/arrays.h"

#include "absl/types/span.h"
#include "common/tensor/dtype.h"
#include "common/text/status.h"
#include "trainer_client/c/call_guard.h"
#include "trainer_client/c/described_tensor.h"
#include "trainer_client/c/tributary.h"

namespace tributary {

void ArraysMaker::Add(TensorView view, std::shared_ptr<const void> memory) {
  arrays_->strides.push_back(StridesOf(view.shape));
  arrays_->tensors.push_back(std::move(view));
  arrays_->memory.push_back(std::move(memory));
}

ArraysMaker& ArraysMaker::Add(std::string name, std::vector<int64_t> ids) {
  auto memory = std::make_shared<const std::vector<int64_t>>(std::move(ids));
  const auto* bytes = reinterpret_cast<const uint8_t*>(memory->data());
  Add({.name = std::move(name),
       .dtype = DType::kInt64,
       .shape = {static_cast<int64_t>(memory->size())},
       .data = absl::MakeConstSpan(bytes, memory->size() * sizeof(int64_t))},
      memory);
  return *this;
}

ArraysMaker& ArraysMaker::Add(std::string name, GraphRows rows) {
  auto memory = std::make_shared<const GraphRows>(std::move(rows));
  Shape shape = {static_cast<int64_t>(memory->num_rows)};
  if (memory->dim > 0) shape.push_back(memory->dim);
  Add({.name = std::move(name),
       .dtype = memory->dtype,
       .shape = std::move(shape),
       .data = memory->data.span()},
      memory);
  return *this;
}

}  // namespace tributary

extern "C" {

tributary_status tributary_arrays_tensor(tributary_arrays* arrays,
                                         const char* name,
                                         tributary_tensor* tensor) {
  return tributary::GuardCall([&]() -> absl::Status {
    RETURN_IF_ERROR(tributary::CheckGiven(tensor, "tensor"));
    *tensor = {};
    RETURN_IF_ERROR(tributary::CheckHandle(arrays, "arrays"));
    RETURN_IF_ERROR(tributary::CheckGiven(name, "name"));
    ASSIGN_OR_RETURN(const size_t number,
                     tributary::FindTensor(arrays->tensors, name,
                                           [] { return "the answer"; }));
    *tensor = tributary::DescribeTensor(arrays->tensors[number],
                                        arrays->strides[number]);
    return absl::OkStatus();
  });
}

void tributary_arrays_close(tributary_arrays* arrays) {
  if (arrays == nullptr || !arrays->InOwnProcess()) return;
  tributary::GuardClose([&] { delete arrays; });
}

}  // extern "C"
