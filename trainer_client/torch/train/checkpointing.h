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
#include "common/runtime/clock.h"
#include "trainer_client/torch/checkpoint/checkpoint_folder.h"
#include "trainer_client/torch/train/checkpoint_options.h"
#include "trainer_client/torch/train/round_news.h"
#include "trainer_client/torch/train/run_state.h"

namespace tributary {

class CheckpointWriter;
class DistContext;
class Learner;
class ProcessGroup;

// Returns whether a run ended, with this error, because it was asked to: a rank
// by a signal, or all by a server that holds rows and wants to end. If it keeps
// checkpoints, it has left one of its last step, to go on from.
bool EndedOnRequest(const absl::Status& status);

// Rank 0 reads and writes the files; the other ranks get what it has read by
// the group. So the folder need be on rank 0's machine alone. Used by one
// thread; every rank must make the same calls, but for News(). The
// constructor's arguments outlive it.
//
// With a `context` a checkpoint has a snapshot of its tensors at the same step
// (WriteTensorSnapshot). Null: the run has none.
class Checkpointing {
 public:
  Checkpointing(const CheckpointOptions& options, ProcessGroup* group,
                DistContext* context, const Clock* clock);

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

  // Returns what this rank has to tell the others: whether a checkpoint is due
  // by rank 0's clock, and whether a server that holds rows wants to end.
  RoundNews News() const;

  // Whether checkpoints are written.
  bool enabled() const { return !options_.folder.empty(); }

  // Writes a checkpoint if one is due after `step` steps, by their number or by
  // the news of all ranks. `state` is called only then, on every rank. Errors
  // of CheckpointWriter, on every rank. Where a server that holds rows wants to
  // end, ABORTED is returned after that (EndedOnRequest).
  using StateOfRun = absl::FunctionRef<absl::StatusOr<RunState>()>;
  absl::Status AfterStep(uint64_t step, const RoundNews& all,
                         const Learner& learner, StateOfRun state);

  // Writes a checkpoint of the last step, unless there is one or none has been
  // taken; does nothing without a folder.
  absl::Status Keep(uint64_t step, const Learner& learner, StateOfRun state);

  // Returns ABORTED for a run that was asked to end (EndedOnRequest), with the
  // checkpoint that it goes on from.
  absl::Status Stopped() const;

 private:
  absl::Status CheckFolder() const;
  absl::Status CheckRows() const;
  absl::Status WriteOnRank0(const RunState& state, const Learner& learner,
                            std::optional<CheckpointWriter>& writer) const;
  absl::Status Write(const RunState& state, const Learner& learner) const;
  absl::Status Commit(const RunState& state, CheckpointWriter& writer) const;
  absl::Status Read(Learner* learner) const;

  const CheckpointOptions options_;
  ProcessGroup* const group_;
  DistContext* const context_;
  const Clock& clock_;
  absl::Time written_at_;
  uint64_t kept_step_ = 0;           // of the newest one written; 0: none was
  std::optional<Checkpoint> found_;  // on rank 0
};

}  // namespace tributary

#endif  // TRIBUTARY_TRAINER_CLIENT_TORCH_TRAIN_CHECKPOINTING_H_
