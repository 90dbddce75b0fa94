// The BatchSource of `tributary-train`: batches are made in this process, in
// worker processes, or by a fleet of servers.
#ifndef TRIBUTARY_TRAINER_CLIENT_TORCH_REAL_BATCH_SOURCE_H_
#define TRIBUTARY_TRAINER_CLIENT_TORCH_REAL_BATCH_SOURCE_H_

#include <memory>

#include "absl/status/statusor.h"
#include "trainer_client/torch/sessions/batch_source.h"

namespace tributary {

// Starts the server or the workers for options.graph; for a fleet, opens no
// connection yet. Returns the errors of SamplingWorkers::OpenSource().
absl::StatusOr<std::unique_ptr<BatchSource>> OpenRealBatchSource(
    const BatchSourceOptions& options);

}  // namespace tributary

#endif  // TRIBUTARY_TRAINER_CLIENT_TORCH_REAL_BATCH_SOURCE_H_
