// The clock that components read. It is injected, so that tests control time.
#ifndef TRIBUTARY_COMMON_RUNTIME_CLOCK_H_
#define TRIBUTARY_COMMON_RUNTIME_CLOCK_H_

#include "absl/time/time.h"

namespace tributary {

// A source of time. The zero point is arbitrary; only differences have a
// meaning. Thread-safe.
class Clock {
 public:
  virtual ~Clock() = default;
  // Returns the current time; never earlier than a time returned before.
  virtual absl::Time Now() const = 0;
};

// Returns the clock of the system's CLOCK_MONOTONIC.
const Clock& SteadyClock();

}  // namespace tributary

#endif  // TRIBUTARY_COMMON_RUNTIME_CLOCK_H_
