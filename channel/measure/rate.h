// How often a machine does something in a second.
#ifndef TRIBUTARY_CHANNEL_MEASURE_RATE_H_
#define TRIBUTARY_CHANNEL_MEASURE_RATE_H_

#include <cstdint>

#include "absl/functional/function_ref.h"
#include "absl/time/time.h"

namespace tributary {

struct MeasuredRate {
  double per_second = 0;  // of all threads together
  // Of the threads' own time, which other work on the machine takes no part of.
  double per_cpu_second = 0;
};

// The sum of what `piece(thread)` returns, again and again in each of `threads`
// (at least 1) until `time` has passed; at least once in each. A piece should
// take well below `time`.
MeasuredRate MeasureRate(int threads, absl::Duration time,
                         absl::FunctionRef<uint64_t(int thread)> piece);

// User and system seconds of this process so far, of all its threads.
double ProcessCpuSeconds();

}  // namespace tributary

#endif  // TRIBUTARY_CHANNEL_MEASURE_RATE_H_
