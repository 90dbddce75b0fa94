// Whoever makes a trainer's batches, in any mode: what loaders are made over.
#ifndef TRIBUTARY_TRAINER_CLIENT_MODES_SAMPLING_WORKERS_H_
#define TRIBUTARY_TRAINER_CLIENT_MODES_SAMPLING_WORKERS_H_

#include <sys/types.h>

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "common/runtime/mutex.h"
#include "trainer_client/core/dist_neighbor_loader.h"
#include "trainer_client/modes/options.h"
#include "trainer_client/modes/ring_maker.h"

namespace tributary {

// Switching the mode is one line:
//
//   auto workers = SamplingWorkers::Open(MpDistSamplingWorkerOptions{...});
//   auto loader = DistNeighborLoader::Create(options, (*workers)->loader(),
//                                            (*workers)->environment());
//
// All loaders are on the version of the graph that the first has opened, so
// that training and validation see one graph while servers change to another.
//
// In GLT's terms Open is init_client, and a server started by `tributary serve
// --num-clients N` waits and shuts down. Outlives the loaders. Closing it is
// the destructor's: workers end. Thread-safe.
class SamplingWorkers {
 public:
  // What Validate says; of a local mode what Graph::Open and WorkerFleet::Start
  // say. With pin_memory, and a GPU to pin it for, the rings are made in the
  // context that PageLock chooses: open the trainer's GPU before its loaders.
  static absl::StatusOr<std::unique_ptr<SamplingWorkers>> Open(
      const SamplingWorkerOptionsOfAMode& options);
  // As a command line says it, or its file; without one errors name the ring by
  // its flag, buffer_size, in every mode.
  static absl::StatusOr<std::unique_ptr<SamplingWorkers>> OpenSource(
      const BatchSourceOptions& source);
  virtual ~SamplingWorkers() = default;

  LoaderEnvironment environment();
  // What the loader is told of them.
  RemoteDistSamplingWorkerOptions loader() const;
  // GLT's shutdown_client: tells each server, within the time, that this
  // trainer is done; those that were started with --num-clients end once all
  // trainers are. Every server is tried; the first error is returned. Of local
  // modes: nothing, their workers end with this object.
  virtual absl::Status Shutdown(absl::Duration /*timeout*/) {
    return absl::OkStatus();
  }
  // Of mode mp: the workers that live now.
  virtual std::vector<pid_t> pids() const { return {}; }

 protected:
  SamplingWorkers(RemoteDistSamplingWorkerOptions loader,
                  std::string ring_option)
      : loader_(std::move(loader)),
        ring_option_(std::move(ring_option)),
        rings_(RingMaker::For(loader_.pin_memory)) {}
  // `ring_option` and `opened` are set by environment().
  virtual LoaderEnvironment ModeEnvironment() = 0;
  // For workers that write into no memory of the trainer's.
  LoaderEnvironment EnvironmentOn(Executor* executor, Transport* transport);

  RemoteDistSamplingWorkerOptions loader_;
  std::string ring_option_;  // LoaderEnvironment's
  const RingMaker rings_;

 private:
  mutable Mutex mutex_;
  // @VERSION of the first loader's graph, whatever its name holds; empty: there
  // is none yet.
  std::string graph_ ABSL_GUARDED_BY(mutex_);
};

// What a server may reserve for batches that go into a ring of so many bytes: a
// batch that fits the ring, which is whole pages, fits the server, which
// reserves it twice. So nobody is told to raise an option that is not there.
uint64_t MemoryBudgetFor(uint64_t ring_bytes);

}  // namespace tributary

#endif  // TRIBUTARY_TRAINER_CLIENT_MODES_SAMPLING_WORKERS_H_
