// Runs the ranks of a training job on this machine, as torchrun does.
#ifndef TRIBUTARY_TRAINER_CLIENT_TORCH_DDP_RANK_LAUNCHER_H_
#define TRIBUTARY_TRAINER_CLIENT_TORCH_DDP_RANK_LAUNCHER_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/time/time.h"

namespace tributary {

// A job's ranks on this machine.
struct LaunchOptions {
  int num_ranks = 1;
  std::vector<std::string> argv;  // [0]: the program's path
  // The time between SIGTERM and SIGKILL for ranks that must end.
  absl::Duration grace = absl::Seconds(15);
};

// The exit code of a job ended by SIGINT or SIGTERM.
inline constexpr int kInterruptedExitCode = 130;

// Starts argv num_ranks times with RANK, LOCAL_RANK, WORLD_SIZE, MASTER_ADDR,
// MASTER_PORT (a free one, already listening), and OMP_NUM_THREADS unless it is
// set. Returns when every process has ended: 0 if each returned 0. A failed
// rank ends the others, and its exit code (128 + signal) is returned. SIGINT or
// SIGTERM end all ranks (a second one at once), and kInterruptedExitCode is
// returned. Blocks these two and SIGCHLD in the calling thread, which must be
// the only one of the process.
absl::StatusOr<int> RunRanks(const LaunchOptions& options);

// Makes a rank end when its launcher ends, even by SIGKILL. Does nothing in a
// process that RunRanks() did not start.
void EndWithLauncher();

}  // namespace tributary

#endif  // TRIBUTARY_TRAINER_CLIENT_TORCH_DDP_RANK_LAUNCHER_H_
