#include "trainer_client/torch/restart/resume_after_restart.h"

#include "common/text/status.h"
#include "trainer_client/torch/checkpoint/checkpoint_folder.h"
#include "trainer_client/torch/ddp/process_group.h"
#include "trainer_client/torch/train/checkpoint_options.h"

namespace tributary {

absl::StatusOr<std::string> ResumeAfterRestart(int attempt,
                                               const std::string& folder,
                                               const std::string& resume,
                                               ProcessGroup& group) {
  const bool automatic = resume == kResumeAuto;
  if ((attempt == 0 && !automatic) || folder.empty()) return resume;
  std::string found;
  if (group.rank() == 0) {
    // An error is a folder that no attempt has written to.
    const auto search = FindCheckpoint(folder);
    if (search.ok() && search->found) found = "found";
  }
  ASSIGN_OR_RETURN(found, group.BroadcastText(found));
  if (!found.empty()) return folder;
  return automatic ? "" : resume;
}

}  // namespace tributary
