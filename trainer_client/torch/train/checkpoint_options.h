// The options of a run's checkpoints. No torch.
#ifndef TRIBUTARY_TRAINER_CLIENT_TORCH_TRAIN_CHECKPOINT_OPTIONS_H_
#define TRIBUTARY_TRAINER_CLIENT_TORCH_TRAIN_CHECKPOINT_OPTIONS_H_

#include <cstddef>
#include <cstdint>
#include <string>

#include "absl/status/status.h"
#include "absl/time/time.h"

namespace tributary {

// A `resume` that means the newest usable checkpoint in `folder`, or the start
// if there is none.
inline constexpr char kResumeAuto[] = "auto";

// When and where a run keeps checkpoints.
struct CheckpointOptions {
  std::string folder;  // the root folder; empty: no checkpoints are written
  uint64_t every_steps = 0;                     // 0: not by steps
  absl::Duration every = absl::ZeroDuration();  // 0: not by time
  size_t keep = 2;  // 1 or more; older ones are removed
  // A root folder or one checkpoint to resume from, or kResumeAuto; empty: from
  // the start.
  std::string resume;
  // Text that checkpoints keep, for people.
  std::string command_line;
  // How many times the job was started before.
  uint64_t attempt = 0;

  // INVALID_ARGUMENT, naming field, value and what is allowed.
  absl::Status Validate() const;
};

}  // namespace tributary

#endif  // TRIBUTARY_TRAINER_CLIENT_TORCH_TRAIN_CHECKPOINT_OPTIONS_H_
