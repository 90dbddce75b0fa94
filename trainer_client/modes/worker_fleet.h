// Starts, watches, restarts and ends the sampling processes of a trainer.
#ifndef TRIBUTARY_TRAINER_CLIENT_MODES_WORKER_FLEET_H_
#define TRIBUTARY_TRAINER_CLIENT_MODES_WORKER_FLEET_H_

#include <sys/types.h>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "channel/shm/shm_transport.h"
#include "common/fleet/address.h"

namespace tributary {

// Options of WorkerFleet::Start().
struct WorkerFleetOptions {
  std::string program;  // a path, as FindWorkerProgram() returns it
  // Further arguments, after `worker --door N --name NAME`.
  std::vector<std::string> arguments;
  int num_workers = 1;
  // The longest that Start() waits until all workers serve, and that the
  // destructor waits for them to end before it kills them. Batches in work are
  // not waited for.
  absl::Duration start_timeout = absl::Seconds(60);
  absl::Duration stop_timeout = absl::Seconds(1);
};

// The state of a fleet.
struct WorkerFleetStats {
  uint64_t restarts = 0;
  std::vector<pid_t> pids;  // of the running workers
};

// Workers run in process groups of their own, so that Ctrl-C reaches only the
// trainer. They end with the trainer in every case: the end of their door tells
// them, and the system kills those that are stopped. A worker that dies is
// started again, first after 0.1 s, then after up to 5 s; the batches that it
// was making are requested from others. Thread-safe.
class WorkerFleet {
 public:
  // Starts all workers and waits until they serve. Returns the error that a
  // worker reports, for example about the graph; NOT_FOUND without the program;
  // UNAVAILABLE if a worker ends; DEADLINE_EXCEEDED after start_timeout.
  // `transport` must outlive the fleet.
  static absl::StatusOr<std::unique_ptr<WorkerFleet>> Start(
      const WorkerFleetOptions& options, ShmTransport* transport);
  // Ends all workers, and waits until no process is left.
  virtual ~WorkerFleet() = default;

  // The addresses of the workers, for `transport`.
  virtual std::vector<Address> addresses() const = 0;
  virtual WorkerFleetStats stats() const = 0;
  // Whether the worker runs and has said that it serves.
  virtual bool Serves(const Address& worker) const = 0;
  // Kills the worker, which answers nothing: it is started again, and the rooms
  // that it held are free once its sockets have closed. Without effect on a
  // worker that does not serve.
  virtual void KillHung(const Address& worker) = 0;
};

}  // namespace tributary

#endif  // TRIBUTARY_TRAINER_CLIENT_MODES_WORKER_FLEET_H_
