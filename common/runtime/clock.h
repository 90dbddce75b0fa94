// Time as the logic sees it: injected, so that a test owns it.
#ifndef TRIBUTARY_COMMON_RUNTIME_CLOCK_H_
#define TRIBUTARY_COMMON_RUNTIME_CLOCK_H_

#include "absl/time/time.h"

namespace tributary {

// Thread-safe. The zero point is arbitrary; only differences mean anything.
class Clock {
 public:
  virtual ~Clock() = default;
  // Never goes back.
  virtual absl::Time Now() const = 0;
};

// CLOCK_MONOTONIC.
const Clock& SteadyClock();

}  // namespace tributary

#endif  // TRIBUTARY_COMMON_RUNTIME_CLOCK_H_
