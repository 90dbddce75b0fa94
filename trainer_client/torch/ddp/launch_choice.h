// Whether a process starts the ranks of its job or is one of them.
#ifndef TRIBUTARY_TRAINER_CLIENT_TORCH_DDP_LAUNCH_CHOICE_H_
#define TRIBUTARY_TRAINER_CLIENT_TORCH_DDP_LAUNCH_CHOICE_H_

#include "absl/functional/function_ref.h"
#include "absl/status/statusor.h"

namespace tributary {

// Set in the ranks that RunRanks starts: the launcher's process id.
inline constexpr char kLauncherPidVariable[] = "TRIBUTARY_LAUNCHER_PID";

// True when this process is to start `nproc` ranks. Our own ranks have the
// same command line and start none. INVALID_ARGUMENT when another launcher,
// such as torchrun, made the process a rank already: ranks of a rank would
// be a job that nobody asked for. `variable` returns null for one not set.
absl::StatusOr<bool> StartsRanks(
    int nproc, absl::FunctionRef<const char*(const char*)> variable);

}  // namespace tributary

#endif  // TRIBUTARY_TRAINER_CLIENT_TORCH_DDP_LAUNCH_CHOICE_H_
