// The `tributary-train` command line. No torch in this header.
#ifndef TRIBUTARY_TRAINER_CLIENT_TORCH_TRAIN_TRAIN_COMMAND_H_
#define TRIBUTARY_TRAINER_CLIENT_TORCH_TRAIN_TRAIN_COMMAND_H_

#include <functional>
#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "trainer_client/core/dist_loader.h"
#include "trainer_client/modes/options.h"

namespace tributary {

// Opens loaders on it; outlives them.
class BatchSource {
 public:
  virtual ~BatchSource() = default;
  virtual absl::StatusOr<std::unique_ptr<DistLoader>> Open(
      const NeighborLoaderOptions& options) = 0;
  // Says that this rank is done; its loaders are gone.
  virtual absl::Status Shutdown() { return absl::OkStatus(); }
};

using OpenBatchSource =
    std::function<absl::StatusOr<std::unique_ptr<BatchSource>>(
        const BatchSourceOptions&)>;

// Runs the program: as one rank, or with --nproc as the launcher of several.
// Exit codes: 0; 1 with a message on stderr; 2 for a wrong command line; 130
// after SIGINT or SIGTERM. Called first thing in main, before any thread.
int RunTrainCommand(int argc, char** argv, const OpenBatchSource& open);

}  // namespace tributary

#endif  // TRIBUTARY_TRAINER_CLIENT_TORCH_TRAIN_TRAIN_COMMAND_H_
