// Writes checkpoints of a run at its optimizer steps' barriers, and resumes
// from them. No torch.
#ifndef TRIBUTARY_TRAINER_CLIENT_TORCH_TRAIN_CHECKPOINTING_H_
#define TRIBUTARY_TRAINER_CLIENT_TORCH_TRAIN_CHECKPOINTING_H_

#include <cstdint>
#include <optional>
#include <string>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "trainer_client/torch/train/checkpoint_options.h"
#include "trainer_client/torch/train/run_state.h"

namespace tributary {

class Learner;
class ProcessGroup;

// Rank 0 reads and writes the files; the other ranks get what it has read by
// the group. So the folder need be on rank 0's machine alone. Used by one
// thread; every rank must make the same calls. `learner` and `group` outlive
// it.
class Checkpointing {
 public:
  Checkpointing(const CheckpointOptions& options, Learner* learner,
                ProcessGroup* group);

  // Loads parameters and optimizer from options.resume and returns where the
  // run was; nullopt without one. Newer checkpoints that cannot be used are
  // named in a warning. Errors of FindCheckpoint and LoadTensors, on every
  // rank; NOT_FOUND if the folder has no usable checkpoint.
  // FAILED_PRECONDITION if a run from the start would write into a folder with
  // checkpoints.
  absl::StatusOr<std::optional<RunState>> Resume();

  // Returns the path that Resume() has read; empty on ranks other than 0.
  const std::string& resumed_from() const { return resumed_from_; }

  // Writes a checkpoint if one is due after `step` steps. `state` is called
  // only then, on every rank. Errors of CheckpointWriter, on every rank.
  absl::Status AfterStep(uint64_t step,
                         absl::FunctionRef<absl::StatusOr<RunState>()> state);

 private:
  absl::Status CheckFolder() const;
  absl::StatusOr<bool> IsDue(uint64_t step);
  absl::Status Write(const RunState& state);
  absl::StatusOr<std::string> Read();

  const CheckpointOptions options_;
  Learner* const learner_;
  ProcessGroup* const group_;
  absl::Time written_at_;
  std::string resumed_from_;
};

}  // namespace tributary

#endif  // TRIBUTARY_TRAINER_CLIENT_TORCH_TRAIN_CHECKPOINTING_H_
