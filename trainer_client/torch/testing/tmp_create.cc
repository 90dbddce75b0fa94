#include "trainer_client/graph/dist_tensor.h"
namespace tributary {
__attribute__((weak)) absl::StatusOr<std::unique_ptr<DistTensor>>
DistTensor::Create(DistContext&, const DistTensorOptions&) {
  return absl::UnimplementedError("none");
}
}  // namespace tributary
