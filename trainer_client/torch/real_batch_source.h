// The real sources of batches: this process, workers of its own, or a fleet.
#ifndef TRIBUTARY_TRAINER_CLIENT_TORCH_REAL_BATCH_SOURCE_H_
#define TRIBUTARY_TRAINER_CLIENT_TORCH_REAL_BATCH_SOURCE_H_

#include <memory>

#include "absl/status/statusor.h"
#include "trainer_client/torch/train/train_command.h"

namespace tributary {

// Starts the server or the workers for options.graph; connects to nobody yet
// for a fleet.
absl::StatusOr<std::unique_ptr<BatchSource>> OpenRealBatchSource(
    const BatchSourceOptions& options);

}  // namespace tributary

#endif  // TRIBUTARY_TRAINER_CLIENT_TORCH_REAL_BATCH_SOURCE_H_
