// Trainers that have said that they are done.
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

// For a server that ends with its trainers, as GLT's wait_and_shutdown_server
// does. Thread-safe.
class Farewells {
 public:
  // `all_gone` is Tell's, when all of num_clients have said it. 0: nobody waits
  // for that, and farewells are only polite.
  Farewells(uint32_t num_clients, std::function<void()> all_gone)
      : num_clients_(num_clients), all_gone_(std::move(all_gone)) {}

  // Saying it again changes nothing. INVALID_ARGUMENT when the trainer counts
  // other trainers than this server, which would wait for ever.
  absl::Status Say(uint32_t client_rank, uint32_t num_clients) {
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

  // Runs `all_gone`, once, if all are. Call it when the answer to the last one
  // is on its way: the server may end in the call.
  void Tell() {
    {
      MutexLock lock(mutex_);
      if (told_ || num_clients_ == 0 || gone_.size() < num_clients_) return;
      told_ = true;
    }
    all_gone_();
  }

 private:
  const uint32_t num_clients_;
  const std::function<void()> all_gone_;
  Mutex mutex_;
  std::set<uint32_t> gone_ ABSL_GUARDED_BY(mutex_);
  bool told_ ABSL_GUARDED_BY(mutex_) = false;
};

}  // namespace tributary

#endif  // TRIBUTARY_SAMPLER_SERVER_SERVICE_FAREWELLS_H_
