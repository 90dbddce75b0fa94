#include "trainer_client/torch/sessions/batch_source.h"

#include "trainer_client/tensors/dist_context.h"

namespace tributary {

absl::StatusOr<std::unique_ptr<DistContext>> BatchSource::OpenContext(
    const DistContextOptions&) {
  return absl::UnimplementedError(
      "this source of batches has no servers that hold rows");
}

}  // namespace tributary
