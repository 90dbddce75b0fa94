// Sends the gradients of a run, in rounds.
#ifndef TRIBUTARY_TRAINER_CLIENT_TENSORS_GRADIENT_ROUNDS_H_
#define TRIBUTARY_TRAINER_CLIENT_TENSORS_GRADIENT_ROUNDS_H_

#include <cstdint>
#include <memory>

#include "absl/status/status.h"
#include "absl/types/span.h"
#include "trainer_client/tensors/dist_tensor.h"
#include "trainer_client/tensors/tensor_client.h"

namespace tributary {

// Returns the rounds of `client`, which begin after client->closed_rounds().
// The bytes on their way are at most 64 MiB: Push waits then.
std::unique_ptr<GradientRounds> MakeGradientRounds(
    std::shared_ptr<TensorClient> client);

// OUT_OF_RANGE, naming the row, for gradients [rows.size(), dim] of a tensor of
// which one is not finite.
absl::Status CheckFinite(const DistTensor& tensor,
                         absl::Span<const int64_t> rows,
                         absl::Span<const float> gradients);

}  // namespace tributary

#endif  // TRIBUTARY_TRAINER_CLIENT_TENSORS_GRADIENT_ROUNDS_H_
