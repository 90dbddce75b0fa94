#include "trainer_client/torch/command/run_failure.h"

#include "trainer_client/torch/ddp/attempt_state.h"

namespace tributary {

bool NeverSucceeds(const absl::Status& status, RunStage stage) {
  switch (status.code()) {
    case absl::StatusCode::kOutOfRange:
      return true;
    case absl::StatusCode::kInvalidArgument:
    case absl::StatusCode::kUnimplemented:
    case absl::StatusCode::kAlreadyExists:
    case absl::StatusCode::kPermissionDenied:
    case absl::StatusCode::kUnauthenticated:
      return !stage.training;
    case absl::StatusCode::kNotFound:
    case absl::StatusCode::kFailedPrecondition:
      return !stage.training && !stage.rows;
    default:
      return false;
  }
}

int ExitCodeOfFailure(const absl::Status& status, FailureCause cause,
                      RunStage stage) {
  if (NeverSucceeds(status, stage)) return kPermanentExitCode;
  if (stage.interrupted) return kInterruptedExitCode;
  if (cause.on_request) return kDrainedExitCode;
  return cause.lost_peers ? kPeersLostExitCode : 1;
}

}  // namespace tributary
