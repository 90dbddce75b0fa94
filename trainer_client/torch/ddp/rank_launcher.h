// Runs this machine's ranks of a training job, and starts them again.
#ifndef TRIBUTARY_TRAINER_CLIENT_TORCH_DDP_RANK_LAUNCHER_H_
#define TRIBUTARY_TRAINER_CLIENT_TORCH_DDP_RANK_LAUNCHER_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "trainer_client/torch/ddp/attempt_state.h"
#include "trainer_client/torch/ddp/liveness_watch.h"
#include "trainer_client/torch/ddp/node_place.h"

namespace tributary {

// A job's ranks on this machine.
struct LaunchOptions {
  int num_ranks = 1;              // on this machine; on each one the same
  std::vector<std::string> argv;  // [0]: the program's path
  NodePlace node;
  std::string run_id;  // RunIdOf(): what does not have it is refused
  // How often all ranks are started again after one failed.
  int max_restarts = 0;
  EndGraces graces;
  SilenceLimits limits;  // of a rank, and of another machine's launcher
  // The longest wait for all machines, at the start of the job.
  absl::Duration gather_timeout = absl::Minutes(10);
  // The longest wait for other machines' ranks to end, or to start again.
  absl::Duration node_timeout = absl::Seconds(60);
  // The longest wait for a machine that is gone to be started again, with the
  // same node_rank; 0: its loss ends the job.
  absl::Duration replace_timeout;

  bool replaceable() const {
    return node.nnodes > 1 && replace_timeout > absl::ZeroDuration();
  }
};

// Starts argv num_ranks times with RANK, LOCAL_RANK, WORLD_SIZE, MASTER_ADDR,
// MASTER_PORT, TRIBUTARY_ATTEMPT, and OMP_NUM_THREADS unless it is set. This
// process serves the rendezvous store there, or on other machines connects to
// that of node 0.
//
// An attempt ends when each rank has returned 0, which is returned; or when a
// rank of any machine fails, ends by a signal, or is frozen: it has no
// heartbeat (see Heartbeat). Then all ranks get SIGTERM and after graces.failed
// SIGKILL; the cause is logged; and all are started again, max_restarts times
// at most; ranks that ended with kDrainedExitCode are not counted, and none is
// started after kPermanentExitCode. The exit code of the last cause is returned
// (128 + signal; 1 if frozen); the end of a rank that has only lost the others
// (kPeersLostExitCode) is none where another rank failed, too, and else 1.
// SIGINT or SIGTERM are passed on as SIGTERM, upon which ranks write a
// checkpoint and end within graces.asked (a second one ends them at once), and
// kInterruptedExitCode is returned. Errors: INVALID_ARGUMENT for options,
// UNAVAILABLE when other machines cannot be reached. kPermanentExitCode is
// returned where they are of another run, or have other flags.
//
// With replace_timeout the launcher of another machine than node 0 may end and
// be started again at any time: the others end the attempt and wait for it.
// SIGTERM of one then ends the attempt, after a checkpoint, and is no failure;
// that of node 0, which serves the store, makes the others return
// kDrainedExitCode: start all machines again.
//
// Blocks these two and SIGCHLD in the calling thread, which must be the only
// one of the process. Ends the process if node 0's launcher no longer
// answers, which LibTorch's store waits for without end.
absl::StatusOr<int> RunRanks(const LaunchOptions& options);

// Makes a rank end when its launcher ends, even by SIGKILL. Does nothing in a
// process that RunRanks() did not start.
void EndWithLauncher();

}  // namespace tributary

#endif  // TRIBUTARY_TRAINER_CLIENT_TORCH_DDP_RANK_LAUNCHER_H_
