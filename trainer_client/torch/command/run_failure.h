// The exit code of a rank that ends with an error. No torch.
#ifndef TRIBUTARY_TRAINER_CLIENT_TORCH_COMMAND_RUN_FAILURE_H_
#define TRIBUTARY_TRAINER_CLIENT_TORCH_COMMAND_RUN_FAILURE_H_

#include "absl/status/status.h"

namespace tributary {

// How far a run has come.
struct RunStage {
  bool rows = false;         // it has begun to open rows on servers
  bool training = false;     // it has begun to train
  bool interrupted = false;  // this process was asked to end before it did
};

// Whether the run ends in the same way however often it is started again: the
// options do not fit the graph, the graph or the split is not there, the
// checkpoint is of another run, or the loss is not finite. An error once
// training has begun may be of a server that has come or gone meanwhile, and so
// may that of one that holds rows.
bool NeverSucceeds(const absl::Status& status, RunStage stage);

// What else is known of an error.
struct FailureCause {
  bool on_request = false;  // EndedOnRequest()
  bool lost_peers = false;  // LostPeers()
};

// Returns kPermanentExitCode where the run never succeeds,
// kInterruptedExitCode where this process was asked to end, kDrainedExitCode
// where another one or a server was, kPeersLostExitCode where another rank has
// the cause, else 1.
int ExitCodeOfFailure(const absl::Status& status, FailureCause cause,
                      RunStage stage);

}  // namespace tributary

#endif  // TRIBUTARY_TRAINER_CLIENT_TORCH_COMMAND_RUN_FAILURE_H_
