// Runs the ranks of a training job on this machine, as torchrun does.
#ifndef TRIBUTARY_TRAINER_CLIENT_TORCH_DDP_RANK_LAUNCHER_H_
#define TRIBUTARY_TRAINER_CLIENT_TORCH_DDP_RANK_LAUNCHER_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/time/time.h"

namespace tributary {

struct LaunchOptions {
  int num_ranks = 1;
  std::vector<std::string> argv;  // [0]: the program's path
  // From SIGTERM to SIGKILL for ranks that are to end.
  absl::Duration grace = absl::Seconds(15);
};

inline constexpr int kInterruptedExitCode = 130;

// Starts argv num_ranks times with RANK, LOCAL_RANK, WORLD_SIZE, MASTER_ADDR,
// MASTER_PORT (a free one, already listening), and OMP_NUM_THREADS unless it
// is set, and returns once every process has ended: 0 when each returned 0; a
// failed rank ends the others, and its exit code (128 + signal) is returned;
// SIGINT or SIGTERM end all (the second one at once), and it is 130. Blocks
// these two and SIGCHLD in the calling thread, which must be the only one.
absl::StatusOr<int> RunRanks(const LaunchOptions& options);

// In a rank: end when the launcher does, even by SIGKILL. No effect in a
// process that RunRanks did not start.
void EndWithLauncher();

}  // namespace tributary

#endif  // TRIBUTARY_TRAINER_CLIENT_TORCH_DDP_RANK_LAUNCHER_H_
