#include "trainer_client/torch/train/checkpoint_options.h"

namespace tributary {

absl::Status CheckpointOptions::Validate() const {
  if (keep < 1) {
    return absl::InvalidArgumentError(
        "checkpoint_keep is 0, allowed are 1 and more");
  }
  if (resume == kResumeAuto && folder.empty()) {
    return absl::InvalidArgumentError(
        "--resume auto without --checkpoint-dir; allowed: with "
        "--checkpoint-dir DIR, whose newest checkpoint the run goes on from");
  }
  const bool scheduled = every_steps > 0 || every > absl::ZeroDuration();
  if (scheduled == !folder.empty()) return absl::OkStatus();
  return absl::InvalidArgumentError(
      folder.empty()
          ? "checkpoints are due by steps or minutes, but there is no folder "
            "for them; allowed: --checkpoint-dir DIR with these"
          : "--checkpoint-dir without --checkpoint-every or "
            "--checkpoint-minutes; allowed: with one of them, or both");
}

}  // namespace tributary
