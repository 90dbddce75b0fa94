#include "trainer_client/torch/train/resume_after_restart.h"

#include <string>

#include "common/text/status.h"
#include "trainer_client/torch/checkpoint/checkpoint_folder.h"
#include "trainer_client/torch/ddp/process_group.h"

namespace tributary {

absl::Status ResumeAfterRestart(int attempt, ProcessGroup& group,
                                CheckpointOptions* options) {
  if (attempt == 0 || options->folder.empty()) return absl::OkStatus();
  std::string found;
  if (group.rank() == 0) {
    // An error is a folder that no attempt has written to.
    const auto search = FindCheckpoint(options->folder);
    if (search.ok() && search->found) found = "found";
  }
  ASSIGN_OR_RETURN(found, group.BroadcastText(found));
  if (!found.empty()) options->resume = options->folder;
  return absl::OkStatus();
}

}  // namespace tributary
