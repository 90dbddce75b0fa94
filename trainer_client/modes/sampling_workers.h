// The makers of a trainer's batches, in any mode; loaders are created over
// them.
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
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "common/runtime/mutex.h"
#include "common/trace/batch_timeline.h"
#include "common/trace/trace_file.h"
#include "trainer_client/core/dist_neighbor_loader.h"
#include "trainer_client/core/session_text/session_text.h"
#include "trainer_client/modes/options.h"
#include "trainer_client/modes/ring_maker.h"

namespace tributary {

// The source of batches of one trainer process. Changing the mode changes one
// line:
//
//   ASSIGN_OR_RETURN(
//       auto workers, SamplingWorkers::Open(MpDistSamplingWorkerOptions{...}));
//   ASSIGN_OR_RETURN(auto loader, workers->OpenLoader(options));
//
// All loaders use the version of the graph that the first one opened, so that
// training and validation see one graph while servers change to another.
//
// In GLT's terms Open() is init_client, and a server started by `tributary
// serve --num-clients N` does wait_and_shutdown_server. Must outlive the
// loaders. The destructor ends workers and connections. Thread-safe.
class SamplingWorkers {
 public:
  // Starts the server or workers of a local mode; opens no connection for a
  // remote one. Returns the errors of Validate(), for a remote mode those of
  // JobOf(), for local modes those of Graph::Open() and WorkerFleet::Start(),
  // with a trace_file those of TraceFile::Open().
  // With pin_memory and a GPU, rings are page-locked in the context that
  // PageLock() chooses: open the trainer's GPU before its loaders.
  static absl::StatusOr<std::unique_ptr<SamplingWorkers>> Open(
      const SamplingWorkerOptionsOfAMode& options);
  // Opens workers for a command line or its options file. Without a file,
  // errors name the ring's size by its flag, buffer_size, in every mode.
  static absl::StatusOr<std::unique_ptr<SamplingWorkers>> OpenSource(
      const BatchSourceOptions& source);
  // Opens workers for options as a text of JSON (ParseWorkerOptions). Errors
  // besides: those of the text. `on_wait`: see LoaderEnvironment.
  static absl::StatusOr<std::unique_ptr<SamplingWorkers>> OpenText(
      absl::string_view options, WaitObserver on_wait = nullptr);
  virtual ~SamplingWorkers() = default;

  // Opens a loader of a session of any kind; errors as DistLoader::Create().
  absl::StatusOr<std::unique_ptr<DistLoader>> OpenLoader(
      const SessionOptions& session);
  // The same of a session's text, after reading the files that it names, for
  // one of the trainers that share the batches (CommonLoaderOptions::rank).
  absl::StatusOr<std::unique_ptr<DistLoader>> OpenLoader(
      const SessionText& session, uint32_t rank = 0, uint32_t world = 1);

  // The environment and the options for DistNeighborLoader::Create().
  LoaderEnvironment environment();
  RemoteDistSamplingWorkerOptions loader() const;
  // GLT's shutdown_client: tells each server, within `timeout`, that this
  // trainer is done; servers started with --num-clients end once all trainers
  // are. Tries every server and returns the first error. Does nothing in local
  // modes, whose workers end with this object.
  virtual absl::Status Shutdown(absl::Duration /*timeout*/) {
    return absl::OkStatus();
  }
  // Whether the servers are this process's own, which no other trainer reaches.
  virtual bool local() const { return true; }
  // The process ids of the running workers; empty unless the mode is mp.
  virtual std::vector<pid_t> pids() const { return {}; }

 protected:
  SamplingWorkers(RemoteDistSamplingWorkerOptions loader,
                  std::string ring_option)
      : loader_(std::move(loader)),
        ring_option_(std::move(ring_option)),
        rings_(RingMaker::For(loader_.pin_memory)) {}
  // Returns the environment without `ring_option`, `on_wait`, `on_traced` and
  // `opened`, which environment() sets.
  virtual LoaderEnvironment ModeEnvironment() = 0;
  // Returns an environment whose rings are memory of this process alone.
  LoaderEnvironment EnvironmentOn(Executor* executor, Transport* transport);

  RemoteDistSamplingWorkerOptions loader_;
  std::string ring_option_;   // for LoaderEnvironment
  WaitObserver on_wait_;      // likewise
  TracedObserver on_traced_;  // likewise
  const RingMaker rings_;

 private:
  // Returns what shows a timeline to on_traced_ and writes it to trace_file_.
  TracedObserver Traced() const;

  std::shared_ptr<TraceFile> trace_file_;  // null: none
  mutable Mutex mutex_;
  // "@VERSION" of the first loader's graph; empty before it has opened.
  std::string opened_graph_ ABSL_GUARDED_BY(mutex_);
};

// Returns the memory budget of a local server for a ring of `ring_bytes`: twice
// the ring, in whole pages, at least 1 GiB. A server reserves each batch twice,
// so every batch that fits the ring fits the server, and no error names the
// budget, which local modes have no option for.
uint64_t MemoryBudgetFor(uint64_t ring_bytes);

}  // namespace tributary

#endif  // TRIBUTARY_TRAINER_CLIENT_MODES_SAMPLING_WORKERS_H_
