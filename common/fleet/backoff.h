// Delays before retries: exponential, capped, with jitter.
#ifndef TRIBUTARY_COMMON_FLEET_BACKOFF_H_
#define TRIBUTARY_COMMON_FLEET_BACKOFF_H_

#include <algorithm>
#include <cstdint>

#include "absl/time/time.h"
#include "common/random/philox.h"

namespace tributary {

struct BackoffOptions {
  absl::Duration initial = absl::Milliseconds(50);
  absl::Duration max = absl::Seconds(5);
};

// Computes the delays of one retried operation. The n-th delay is uniform in
// [d/2, d), where d = min(initial * 2^n, max): the lower bound protects a
// failing server from load, the jitter spreads clients apart. Equal seeds give
// equal delays. Not thread-safe.
class Backoff {
 public:
  Backoff(const BackoffOptions& options, uint64_t seed)
      : options_(options),
        words_({static_cast<uint32_t>(seed), static_cast<uint32_t>(seed >> 32)},
               0) {}

  // Returns the next delay.
  absl::Duration Next() {
    const absl::Duration full =
        std::min(options_.max, options_.initial * (int64_t{1} << doublings_));
    if (full < options_.max) ++doublings_;
    const double jitter = words_.Word(draws_++) / 4294967296.0;
    return full * (0.5 + 0.5 * jitter);
  }
  // Restarts from `initial`. Call after a success.
  void Reset() { doublings_ = 0; }

 private:
  BackoffOptions options_;
  PhiloxStream words_;
  uint32_t draws_ = 0;
  int doublings_ = 0;
};

}  // namespace tributary

#endif  // TRIBUTARY_COMMON_FLEET_BACKOFF_H_
