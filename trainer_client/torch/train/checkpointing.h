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
#include "trainer_client/torch/checkpoint/checkpoint_folder.h"
#include "trainer_client/torch/train/checkpoint_options.h"
#include "trainer_client/torch/train/run_state.h"

namespace tributary {

class CheckpointWriter;
class DistContext;
class Learner;
class ProcessGroup;

// Returns whether a run ended, with this error, because a server that holds its
// rows wants to end, and has left a checkpoint of its last step: the job may go
// on from it on other servers.
bool EndedByDraining(const absl::Status& status);

// Rank 0 reads and writes the files; the other ranks get what it has read by
// the group. So the folder need be on rank 0's machine alone. Used by one
// thread; every rank must make the same calls. The constructor's arguments
// outlive it.
//
// With a `context` a checkpoint has a snapshot of its tensors at the same step
// (WriteTensorSnapshot). Null: the run has none.
class Checkpointing {
 public:
  Checkpointing(const CheckpointOptions& options, ProcessGroup* group,
                DistContext* context);

  // Finds the checkpoint of options.resume, and has tensors that are created
  // from now on begin with its rows; does nothing without one. Newer
  // checkpoints that cannot be used are named in a warning. Errors of
  // FindCheckpoint and of DistContext::RestoreFrom, on every rank; NOT_FOUND if
  // the folder has no usable checkpoint. FAILED_PRECONDITION if a run from the
  // start would write into a folder with checkpoints, and if the checkpoint has
  // rows of servers and the run has none, or the other way round.
  absl::Status Find();
  // Loads parameters and optimizer from the checkpoint that was found and
  // returns where the run was; nullopt without one. Errors of LoadTensors, on
  // every rank.
  absl::StatusOr<std::optional<RunState>> Resume(Learner* learner);

  // Returns the path that Find() has found; empty on ranks other than 0.
  std::string resumed_from() const { return found_ ? found_->path : ""; }

  // Writes a checkpoint if one is due after `step` steps. `state` is called
  // only then, on every rank. Errors of CheckpointWriter, on every rank. Where
  // a server that holds rows wants to end, a checkpoint is due, and then
  // ABORTED is returned (EndedByDraining).
  absl::Status AfterStep(uint64_t step, const Learner& learner,
                         absl::FunctionRef<absl::StatusOr<RunState>()> state);

 private:
  struct Due {
    bool checkpoint = false;
    bool draining = false;
  };
  absl::Status CheckFolder() const;
  absl::Status CheckRows() const;
  absl::StatusOr<Due> IsDue(uint64_t step);
  absl::Status WriteOnRank0(const RunState& state, const Learner& learner,
                            std::optional<CheckpointWriter>& writer) const;
  absl::Status Write(const RunState& state, const Learner& learner) const;
  absl::Status Commit(const RunState& state, CheckpointWriter& writer) const;
  absl::Status Read(Learner* learner) const;

  const CheckpointOptions options_;
  ProcessGroup* const group_;
  DistContext* const context_;
  absl::Time written_at_;
  std::optional<Checkpoint> found_;  // on rank 0
};

}  // namespace tributary

#endif  // TRIBUTARY_TRAINER_CLIENT_TORCH_TRAIN_CHECKPOINTING_H_
