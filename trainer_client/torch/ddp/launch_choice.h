// Decides whether a process launches the ranks of its job or is one of them.
#ifndef TRIBUTARY_TRAINER_CLIENT_TORCH_DDP_LAUNCH_CHOICE_H_
#define TRIBUTARY_TRAINER_CLIENT_TORCH_DDP_LAUNCH_CHOICE_H_

#include "absl/functional/function_ref.h"
#include "absl/status/statusor.h"

namespace tributary {

// The environment variable with the launcher's process id, which RunRanks()
// sets in the ranks that it starts.
inline constexpr char kLauncherPidVariable[] = "TRIBUTARY_LAUNCHER_PID";

// Returns true when this process must start `nproc` ranks. Ranks started by
// RunRanks() have the same command line and start none. INVALID_ARGUMENT when
// another launcher, such as torchrun, has already made this process a rank.
// `variable` returns an environment variable's value, null if it is not set.
absl::StatusOr<bool> StartsRanks(
    int nproc, absl::FunctionRef<const char*(const char*)> variable);

}  // namespace tributary

#endif  // TRIBUTARY_TRAINER_CLIENT_TORCH_DDP_LAUNCH_CHOICE_H_
