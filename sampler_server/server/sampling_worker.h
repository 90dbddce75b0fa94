// A sampling server for one trainer of its machine, over shared memory.
#ifndef TRIBUTARY_SAMPLER_SERVER_SERVER_SAMPLING_WORKER_H_
#define TRIBUTARY_SAMPLER_SERVER_SERVER_SAMPLING_WORKER_H_

#include <functional>
#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "common/io/unique_fd.h"
#include "sampler_server/server/local_service.h"

namespace tributary {

struct SamplingWorkerOptions {
  LocalServiceOptions service;
  std::string name = "worker";  // in messages
};

// The process that mode mp starts for a trainer. Owns its service and its
// sockets; its destructor cancels what is being made.
class SamplingWorker {
 public:
  // `door` is the worker's end of a WorkerDoor. `trainer_gone` is called once,
  // on a thread of the worker: it must only post. Errors are those of
  // LocalService::Start and ShmServer::Start.
  static absl::StatusOr<std::unique_ptr<SamplingWorker>> Start(
      SamplingWorkerOptions options, UniqueFd door,
      std::function<void()> trainer_gone);
  virtual ~SamplingWorker() = default;
};

}  // namespace tributary

#endif  // TRIBUTARY_SAMPLER_SERVER_SERVER_SAMPLING_WORKER_H_
