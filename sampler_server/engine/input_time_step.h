// The times of a batch's inputs, where they are the nodes' own.
#ifndef TRIBUTARY_SAMPLER_SERVER_ENGINE_INPUT_TIME_STEP_H_
#define TRIBUTARY_SAMPLER_SERVER_ENGINE_INPUT_TIME_STEP_H_

#include <cstdint>
#include <memory>
#include <vector>

#include "absl/functional/any_invocable.h"
#include "absl/status/status.h"
#include "absl/types/span.h"
#include "sampler_server/engine/step_context.h"

namespace tributary {

// Reads them from the partitions that are here, and asks the owners of the
// others. All methods on the task's strand.
class InputTimeStep : public std::enable_shared_from_this<InputTimeStep> {
 public:
  using Done = absl::AnyInvocable<void(absl::Status)>;

  explicit InputTimeStep(StepContext context) : context_(std::move(context)) {}

  // Fills the state's tree_time. `nodes`: the inputs' internal ids, a tree
  // each. `done` runs once, unless the task ends first; perhaps inside the
  // call.
  void Start(absl::Span<const uint64_t> nodes, Done done);

 private:
  absl::Status Read(uint32_t partition, absl::Span<const uint64_t> rows,
                    absl::Span<const uint32_t> trees);
  void Ask(uint32_t partition, std::vector<uint64_t> rows,
           std::vector<uint32_t> trees);
  void Take(uint32_t partition, absl::Span<const uint32_t> trees,
            absl::StatusOr<GatheredRows> reply);
  void Finish(absl::Status status);

  StepContext context_;
  Done done_;
  int in_flight_ = 0;
};

}  // namespace tributary

#endif  // TRIBUTARY_SAMPLER_SERVER_ENGINE_INPUT_TIME_STEP_H_
