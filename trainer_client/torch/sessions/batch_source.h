// The interface through which `tributary-train` opens loaders. No torch.
#ifndef TRIBUTARY_TRAINER_CLIENT_TORCH_SESSIONS_BATCH_SOURCE_H_
#define TRIBUTARY_TRAINER_CLIENT_TORCH_SESSIONS_BATCH_SOURCE_H_

#include <functional>
#include <memory>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "trainer_client/core/dist_loader.h"
#include "trainer_client/core/kinds/session_options.h"
#include "trainer_client/modes/options.h"

namespace tributary {

class DistContext;
struct DistContextOptions;

// Opens the loaders of one rank. Must outlive them.
class BatchSource {
 public:
  virtual ~BatchSource() = default;
  virtual absl::StatusOr<std::unique_ptr<DistLoader>> Open(
      const SessionOptions& options) = 0;
  // Opens the group of ranks whose rows are on this source's servers; the
  // source outlives it. Errors of DistContext::Open; UNIMPLEMENTED for a source
  // without such servers.
  virtual absl::StatusOr<std::unique_ptr<DistContext>> OpenContext(
      const DistContextOptions& options);
  // Tells the servers that this rank is done. Requires that its loaders have
  // been destroyed.
  virtual absl::Status Shutdown() { return absl::OkStatus(); }
};

// Returns the source that the options describe.
using OpenBatchSource =
    std::function<absl::StatusOr<std::unique_ptr<BatchSource>>(
        const BatchSourceOptions&)>;

}  // namespace tributary

#endif  // TRIBUTARY_TRAINER_CLIENT_TORCH_SESSIONS_BATCH_SOURCE_H_
