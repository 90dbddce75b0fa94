// Sends the gradients of a run, in rounds.
#ifndef TRIBUTARY_TRAINER_CLIENT_TENSORS_GRADIENT_ROUNDS_H_
#define TRIBUTARY_TRAINER_CLIENT_TENSORS_GRADIENT_ROUNDS_H_

#include <memory>

#include "trainer_client/tensors/dist_tensor.h"
#include "trainer_client/tensors/tensor_client.h"

namespace tributary {

// Returns the rounds of `client`, which begin after client->closed_rounds().
// The bytes on their way are at most 64 MiB: Push waits then.
std::unique_ptr<GradientRounds> MakeGradientRounds(
    std::shared_ptr<TensorClient> client);

}  // namespace tributary

#endif  // TRIBUTARY_TRAINER_CLIENT_TENSORS_GRADIENT_ROUNDS_H_
