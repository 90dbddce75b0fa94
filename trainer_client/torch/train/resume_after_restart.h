// Where the ranks of a job that was started again go on.
#ifndef TRIBUTARY_TRAINER_CLIENT_TORCH_TRAIN_RESUME_AFTER_RESTART_H_
#define TRIBUTARY_TRAINER_CLIENT_TORCH_TRAIN_RESUME_AFTER_RESTART_H_

#include "absl/status/status.h"
#include "trainer_client/torch/train/checkpoint_options.h"

namespace tributary {

class ProcessGroup;

// In an attempt other than the first, sets options->resume to options->folder
// if that holds a usable checkpoint; otherwise leaves it as the user gave it.
// Every rank must call it; rank 0 looks into the folder for all.
absl::Status ResumeAfterRestart(int attempt, ProcessGroup& group,
                                CheckpointOptions* options);

}  // namespace tributary

#endif  // TRIBUTARY_TRAINER_CLIENT_TORCH_TRAIN_RESUME_AFTER_RESTART_H_
