// Decides whether a process launches the ranks of its job or is one of them.
#ifndef TRIBUTARY_TRAINER_CLIENT_TORCH_DDP_LAUNCH_CHOICE_H_
#define TRIBUTARY_TRAINER_CLIENT_TORCH_DDP_LAUNCH_CHOICE_H_

#include "absl/functional/function_ref.h"
#include "absl/status/statusor.h"

namespace tributary {

// The environment variable with the launcher's process id, which RunRanks()
// sets in the ranks that it starts.
inline constexpr char kLauncherPidVariable[] = "TRIBUTARY_LAUNCHER_PID";

// The flags that ask for a launcher.
struct LaunchRequest {
  int nproc = 1;
  int nnodes = 1;
  int max_restarts = 0;
};

// Returns true when this process must start ranks: more than one, or one that
// is restarted if it fails. Ranks started by RunRanks() have the same command
// line and start none. INVALID_ARGUMENT when another launcher, such as
// torchrun, has already made this process a rank. `variable` returns an
// environment variable's value, null if it is not set.
absl::StatusOr<bool> StartsRanks(
    const LaunchRequest& request,
    absl::FunctionRef<const char*(const char*)> variable);

}  // namespace tributary

#endif  // TRIBUTARY_TRAINER_CLIENT_TORCH_DDP_LAUNCH_CHOICE_H_
