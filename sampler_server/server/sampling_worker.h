// A sampling server for one trainer of its machine, over shared memory.
#ifndef TRIBUTARY_SAMPLER_SERVER_SERVER_SAMPLING_WORKER_H_
#define TRIBUTARY_SAMPLER_SERVER_SERVER_SAMPLING_WORKER_H_

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "common/io/unique_fd.h"
#include "partition/schema/feature_memory.h"

namespace tributary {

struct SamplingWorkerOptions {
  std::string graph;  // folder; all its partitions are mapped
  std::string name = "worker";
  int threads = 1;  // 1 to 1024
  // Of batches being made; their rooms are the trainer's.
  uint64_t memory_budget = uint64_t{1} << 30;
  FeatureMemory feature_memory = FeatureMemory::kAuto;
};

// Serves what comes through its door; the destructor cancels what is being
// made.
class SamplingWorker {
 public:
  // `door`: a WorkerDoor's worker end. `trainer_gone` is called once, on a
  // thread of the worker's: it must only post. Errors: what Graph::Open says,
  // INVALID_ARGUMENT for an option out of range, as ShmServer::Start.
  static absl::StatusOr<std::unique_ptr<SamplingWorker>> Start(
      const SamplingWorkerOptions& options, UniqueFd door,
      std::function<void()> trainer_gone);
  virtual ~SamplingWorker() = default;
};

}  // namespace tributary

#endif  // TRIBUTARY_SAMPLER_SERVER_SERVER_SAMPLING_WORKER_H_
