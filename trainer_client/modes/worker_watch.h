// Finds sampling workers that are alive but answer nothing.
#ifndef TRIBUTARY_TRAINER_CLIENT_MODES_WORKER_WATCH_H_
#define TRIBUTARY_TRAINER_CLIENT_MODES_WORKER_WATCH_H_

#include <functional>
#include <memory>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "channel/transport.h"
#include "common/fleet/address.h"
#include "common/runtime/executor.h"
#include "trainer_client/core/fleet/control_calls.h"

namespace tributary {

struct WorkerWatchOptions {
  Transport* transport = nullptr;  // outlives the watch
  std::shared_ptr<Strand> strand;
  std::vector<Address> workers;
  // Whether the worker should answer now; a worker that starts need not.
  std::function<bool(const Address&)> serves;
  // Runs on the strand, once for each time that a worker hangs.
  std::function<void(const Address&)> on_hung;
  // A worker hangs that has left `misses` calls in a row without an answer,
  // each for `timeout`: between misses * timeout and misses * timeout + period
  // after it has stopped. A trainer that stands still itself misses one.
  absl::Duration period = absl::Seconds(1);
  absl::Duration timeout = absl::Seconds(2);
  int misses = 3;
};

// Asks each worker to describe itself, which the worker's protocol thread
// answers whatever its sampling threads do. Any answer is a sign of life, and
// so is a connection that breaks: the fleet sees to workers that end. Create
// with std::make_shared; call Start on the strand. Ends when it is destroyed,
// on the strand or once that runs nothing any more.
class WorkerWatch : public std::enable_shared_from_this<WorkerWatch> {
 public:
  explicit WorkerWatch(WorkerWatchOptions options);

  void Start();

 private:
  struct Watched {
    std::unique_ptr<ControlCalls> calls;
    int missed = 0;
  };

  void Ask(size_t worker);
  void OnAnswer(size_t worker, const absl::Status& answer);
  void AskLater(size_t worker, absl::Duration delay);

  const WorkerWatchOptions options_;
  std::vector<Watched> watched_;
};

}  // namespace tributary

#endif  // TRIBUTARY_TRAINER_CLIENT_MODES_WORKER_WATCH_H_
