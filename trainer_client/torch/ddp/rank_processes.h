// The processes of one attempt's ranks on this machine.
#ifndef TRIBUTARY_TRAINER_CLIENT_TORCH_DDP_RANK_PROCESSES_H_
#define TRIBUTARY_TRAINER_CLIENT_TORCH_DDP_RANK_PROCESSES_H_

#include <sys/types.h>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "trainer_client/torch/ddp/heartbeat.h"
#include "trainer_client/torch/ddp/liveness_watch.h"

namespace tributary {

// Options that the ranks of one machine are started with.
struct RankProcessOptions {
  int num_ranks = 1;  // on this machine
  int nnodes = 1;
  int node_rank = 0;
  int attempt = 0;
  std::string master_addr;
  uint16_t master_port = 0;
  std::vector<std::string> argv;  // [0]: the program's path
};

// A rank whose process has ended.
struct EndedRank {
  int local = 0;
  pid_t pid = 0;
  int wait_status = 0;  // waitpid()'s
};

// Starts, signals and reaps processes. Not thread-safe; use it on the thread
// that the ranks are to end with (see EndWithLauncher()).
class RankProcesses {
 public:
  // Starts all ranks. Errors are the system's.
  static absl::StatusOr<std::unique_ptr<RankProcesses>> Start(
      const RankProcessOptions& options);
  // Kills and reaps what still runs.
  ~RankProcesses();

  bool running() const;
  bool running(int local) const { return pids_[local] != 0; }
  // The process of a rank that runs.
  pid_t pid(int local) const { return pids_[local]; }
  // Returns the ranks that have ended since the last call, those that a signal
  // ended first: the others may have failed because of them.
  std::vector<EndedRank> Reap();
  // Sends a signal to all that run, or to one.
  void Signal(int signal);
  void Signal(int local, int signal);
  // Returns the heartbeats of all ranks.
  std::vector<Beats> beats() const { return board_->Read(); }

 private:
  explicit RankProcesses(std::unique_ptr<HeartbeatBoard> board)
      : board_(std::move(board)) {}

  const std::unique_ptr<HeartbeatBoard> board_;
  std::vector<pid_t> pids_;  // by local rank; 0: ended
};

}  // namespace tributary

#endif  // TRIBUTARY_TRAINER_CLIENT_TORCH_DDP_RANK_PROCESSES_H_
