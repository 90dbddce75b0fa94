#include "trainer_client/torch/train/exhausted_negatives.h"

#include "absl/strings/match.h"

namespace tributary {

uint64_t ExhaustedNegatives(const BatchView& batch) {
  uint64_t sum = 0;
  for (const TensorView& tensor : batch.tensors()) {
    if (!absl::StartsWith(tensor.name, "num_exhausted")) continue;
    for (const int64_t count : tensor.As<int64_t>()) {
      sum += static_cast<uint64_t>(count);
    }
  }
  return sum;
}

}  // namespace tributary
