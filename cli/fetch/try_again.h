// Repeats calls of an object store that failed for the moment.
#ifndef TRIBUTARY_CLI_FETCH_TRY_AGAIN_H_
#define TRIBUTARY_CLI_FETCH_TRY_AGAIN_H_

#include <string>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/time/time.h"
#include "common/fleet/backoff.h"
#include "common/runtime/mutex.h"

namespace tributary {

// Repeats a call with growing delays until it succeeds, fails for good, has
// failed for `again`, or the object is stopped. Thread-safe.
class TryAgain {
 public:
  explicit TryAgain(absl::Duration again,
                    BackoffOptions backoff = {absl::Milliseconds(200),
                                              absl::Seconds(10)})
      : again_(again), backoff_(backoff) {}

  // Runs `call` at least once. Only UNAVAILABLE is repeated; when time is over
  // its message says for how long it was. `seed` spreads callers apart.
  absl::Status Run(uint64_t seed, absl::FunctionRef<absl::Status()> call);
  // Ends all waits, running or later; their calls' last errors are returned.
  void Stop();
  bool stopped() const;

 private:
  // Returns whether the time has passed without a stop.
  bool Wait(absl::Duration delay);

  const absl::Duration again_;
  const BackoffOptions backoff_;
  mutable Mutex mutex_;
  CondVar stop_changed_;
  bool stop_ ABSL_GUARDED_BY(mutex_) = false;
};

}  // namespace tributary

#endif  // TRIBUTARY_CLI_FETCH_TRY_AGAIN_H_
