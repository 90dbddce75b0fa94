// Sampling processes that a trainer starts, watches, restarts and ends.
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

struct WorkerFleetOptions {
  std::string program;  // a path
  // After `worker --door N --name NAME`.
  std::vector<std::string> arguments;
  int num_workers = 1;
  // What Start waits for all to serve, and the destructor for all to end
  // before it kills; nobody waits for what they were making.
  absl::Duration start_timeout = absl::Seconds(60);
  absl::Duration stop_timeout = absl::Seconds(1);
};

struct WorkerFleetStats {
  uint64_t restarts = 0;
  std::vector<pid_t> pids;  // that live now
};

// Workers are started by exec, in process groups of their own, so that a Ctrl-C
// is the trainer's alone. They end with the trainer in every case: the end of
// their door tells them of it, and the system kills those that are stopped
// then. One that dies is started again, after 0.1 s at first and up to 5 s;
// what it was making is asked for elsewhere. Thread-safe.
class WorkerFleet {
 public:
  // All serve on return. What a worker says that cannot, e.g. of the graph;
  // NOT_FOUND: no such program; DEADLINE_EXCEEDED. `transport` outlives it.
  static absl::StatusOr<std::unique_ptr<WorkerFleet>> Start(
      const WorkerFleetOptions& options, ShmTransport* transport);
  // No process of it is left.
  virtual ~WorkerFleet() = default;

  // What the transport reaches them by.
  virtual std::vector<Address> addresses() const = 0;
  virtual WorkerFleetStats stats() const = 0;
};

// `program` if it is a path; else that beside the running program, else the one
// in PATH. NOT_FOUND says where it was looked for.
absl::StatusOr<std::string> FindWorkerProgram(const std::string& program);

}  // namespace tributary

#endif  // TRIBUTARY_TRAINER_CLIENT_MODES_WORKER_FLEET_H_
