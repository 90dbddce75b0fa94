// Counts the trainers that have announced their end (the Farewell call).
#ifndef TRIBUTARY_SAMPLER_SERVER_SERVICE_FAREWELLS_H_
#define TRIBUTARY_SAMPLER_SERVER_SERVICE_FAREWELLS_H_

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>

#include "absl/status/status.h"
#include "absl/time/time.h"
#include "channel/caller.h"
#include "common/runtime/executor.h"
#include "common/runtime/mutex.h"

namespace tributary {

// Lets a server end together with its trainers, as GLT's
// wait_and_shutdown_server does: once all ranks of one job have said farewell
// and nobody else is there. Ranks of different jobs do not add up. A caller
// (Caller::share_key) is there while it has a batch stream, and kAbsence
// beyond, unless it has said farewell itself, for jobs that have all gone: so a
// caller cannot end the server under others that use it.
//
// Create with std::make_shared. Thread-safe.
class Farewells : public std::enable_shared_from_this<Farewells> {
 public:
  // A loader connects again within this time.
  static constexpr absl::Duration kAbsence = absl::Seconds(10);
  static constexpr size_t kMaxCallers = 4096;
  static constexpr size_t kMaxJobsPerCaller = 8;

  // `all_gone` runs once, as above, in NotifyIfAllGone or on `executor`, which
  // outlives this. With 0 clients it never runs, and farewells have no effect.
  Farewells(uint32_t num_clients, std::function<void()> all_gone,
            Executor* executor)
      : num_clients_(num_clients),
        all_gone_(std::move(all_gone)),
        executor_(executor) {}

  // Records that a rank of the job has gone; idempotent. INVALID_ARGUMENT when
  // the trainer expects another number of trainers than this server, which
  // would otherwise wait for ever; PERMISSION_DENIED for callers that are no
  // trainers; RESOURCE_EXHAUSTED beyond the limits.
  absl::Status Record(const Caller& caller, const std::string& job,
                      uint32_t client_rank, uint32_t num_clients);

  // The caller has a batch stream until the result is destroyed.
  std::shared_ptr<const void> CountStream(const Caller& caller);

  // Runs `all_gone`, once, if all have gone. Call it after the answer to the
  // last one has been sent: the server may end inside the call.
  void NotifyIfAllGone();

 private:
  struct Presence {
    size_t streams = 0;
    absl::Time left;  // when the last one closed
  };

  void OnStreamClosed(const std::string& caller);
  bool HasGone(const std::string& job) const
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  bool AJobHasGone() const ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  // Whether the caller has said farewell for jobs that have all gone.
  bool IsDone(const std::string& caller) const
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  // Returns when the last caller that is there and not done is taken to be
  // gone: InfiniteFuture while it has a stream, InfinitePast if there is none.
  absl::Time OthersLeave() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void NotifyLater(absl::Time when) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);

  const uint32_t num_clients_;
  const std::function<void()> all_gone_;
  Executor* const executor_;
  Mutex mutex_;
  // The ranks of each job that have said farewell.
  std::map<std::string, std::set<uint32_t>> gone_ ABSL_GUARDED_BY(mutex_);
  // The jobs for which each caller has said it.
  std::map<std::string, std::set<std::string>> said_ ABSL_GUARDED_BY(mutex_);
  std::map<std::string, Presence> present_ ABSL_GUARDED_BY(mutex_);
  bool timer_ ABSL_GUARDED_BY(mutex_) = false;
  bool notified_ ABSL_GUARDED_BY(mutex_) = false;
};

}  // namespace tributary

#endif  // TRIBUTARY_SAMPLER_SERVER_SERVICE_FAREWELLS_H_
