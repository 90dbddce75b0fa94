// Heartbeats of ranks to the launcher on their machine, by shared memory.
#ifndef TRIBUTARY_TRAINER_CLIENT_TORCH_DDP_HEARTBEAT_H_
#define TRIBUTARY_TRAINER_CLIENT_TORCH_DDP_HEARTBEAT_H_

#include <atomic>
#include <memory>
#include <thread>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/functional/function_ref.h"
#include "absl/status/statusor.h"
#include "common/runtime/mutex.h"
#include "trainer_client/torch/ddp/liveness_watch.h"

namespace tributary {

// The environment variable with the file descriptor of the launcher's board,
// which a rank inherits.
inline constexpr char kHeartbeatFdVariable[] = "TRIBUTARY_HEARTBEAT_FD";

// Memory that the launcher shares with its ranks: the counters of each. Every
// attempt has a new one, so that a rank of an older attempt cannot beat for a
// new rank. Ranks increase their counters while the launcher reads them.
class HeartbeatBoard {
 public:
  // Creates the memory, with counters of zero. Errors are the system's.
  static absl::StatusOr<std::unique_ptr<HeartbeatBoard>> Create(int ranks);
  ~HeartbeatBoard();

  // The memory's file descriptor, closed on exec.
  int fd() const { return fd_; }
  std::vector<Beats> Read() const;

 private:
  friend class Heartbeat;
  struct Slot;
  HeartbeatBoard(int fd, Slot* slots, int ranks)
      : fd_(fd), slots_(slots), ranks_(ranks) {}

  const int fd_;
  Slot* const slots_;
  const int ranks_;
};

// Beats for one rank, once a second on a thread of its own, and at each call of
// Progress(). Beats for nobody in a process that RunRanks() did not start.
class Heartbeat {
 public:
  // Starts to beat as rank `local_rank` of its machine; takes over the file
  // descriptor that kHeartbeatFdVariable names. INVALID_ARGUMENT if it names
  // none with a place for the rank. `variable` returns an environment
  // variable's value, null if it is not set.
  static absl::StatusOr<std::unique_ptr<Heartbeat>> Start(
      int local_rank, absl::FunctionRef<const char*(const char*)> variable);
  ~Heartbeat();

  // Counts a round of the training loop. Thread-safe.
  void Progress();

 private:
  Heartbeat(HeartbeatBoard::Slot* slots, int local_rank);
  void Run();

  HeartbeatBoard::Slot* const slots_;  // null: of no launcher
  const int local_rank_;
  Mutex mutex_;
  CondVar ended_changed_;
  bool ended_ ABSL_GUARDED_BY(mutex_) = false;
  std::thread thread_;
};

}  // namespace tributary

#endif  // TRIBUTARY_TRAINER_CLIENT_TORCH_DDP_HEARTBEAT_H_
