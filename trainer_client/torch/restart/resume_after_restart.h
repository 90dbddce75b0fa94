// Finds the checkpoint from which the ranks of a restarted job go on.
#ifndef TRIBUTARY_TRAINER_CLIENT_TORCH_RESTART_RESUME_AFTER_RESTART_H_
#define TRIBUTARY_TRAINER_CLIENT_TORCH_RESTART_RESUME_AFTER_RESTART_H_

#include <string>

#include "absl/status/statusor.h"

namespace tributary {

class ProcessGroup;

// Returns the checkpoints to resume from: in an attempt other than the first,
// or where `resume` is kResumeAuto, `folder`, to which the job writes its
// checkpoints, if it holds a usable one; otherwise `resume`, as the user gave
// it, of kResumeAuto nothing. Either may be empty: none. Every rank must call
// it; rank 0 looks into the folder for all.
absl::StatusOr<std::string> ResumeAfterRestart(int attempt,
                                               const std::string& folder,
                                               const std::string& resume,
                                               ProcessGroup& group);

}  // namespace tributary

#endif  // TRIBUTARY_TRAINER_CLIENT_TORCH_RESTART_RESUME_AFTER_RESTART_H_
