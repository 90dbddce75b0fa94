// Counts the trainers that have announced their end (the Farewell call).
#ifndef TRIBUTARY_SAMPLER_SERVER_SERVICE_FAREWELLS_H_
#define TRIBUTARY_SAMPLER_SERVER_SERVICE_FAREWELLS_H_

#include <cstdint>
#include <functional>
#include <set>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "common/runtime/mutex.h"

namespace tributary {

// Lets a server end together with its trainers, as GLT's
// wait_and_shutdown_server does. Thread-safe.
class Farewells {
 public:
  // `all_gone` runs when all of `num_clients` trainers have gone. With 0 it
  // never runs, and farewells have no effect.
  Farewells(uint32_t num_clients, std::function<void()> all_gone)
      : num_clients_(num_clients), all_gone_(std::move(all_gone)) {}

  // Records that a trainer has gone; idempotent. INVALID_ARGUMENT when the
  // trainer expects another number of trainers than this server, which would
  // otherwise wait for ever.
  absl::Status Record(uint32_t client_rank, uint32_t num_clients) {
    if (num_clients_ == 0) return absl::OkStatus();
    if (num_clients != num_clients_ || client_rank >= num_clients) {
      return absl::InvalidArgumentError(absl::StrCat(
          "client ", client_rank, " of ", num_clients,
          " says farewell; this server was started with --num-clients ",
          num_clients_, "; allowed: clients 0 to ", num_clients_ - 1, " of ",
          num_clients_));
    }
    MutexLock lock(mutex_);
    gone_.insert(client_rank);
    return absl::OkStatus();
  }

  // Runs `all_gone`, once, if all trainers have gone. Call it after the answer
  // to the last one has been sent: the server may end inside the call.
  void NotifyIfAllGone() {
    {
      MutexLock lock(mutex_);
      if (notified_ || num_clients_ == 0 || gone_.size() < num_clients_) return;
      notified_ = true;
    }
    all_gone_();
  }

 private:
  const uint32_t num_clients_;
  const std::function<void()> all_gone_;
  Mutex mutex_;
  std::set<uint32_t> gone_ ABSL_GUARDED_BY(mutex_);
  bool notified_ ABSL_GUARDED_BY(mutex_) = false;
};

}  // namespace tributary

#endif  // TRIBUTARY_SAMPLER_SERVER_SERVICE_FAREWELLS_H_
