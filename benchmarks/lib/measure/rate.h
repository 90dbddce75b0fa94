// Measures how often a machine does something in a second.
#ifndef TRIBUTARY_BENCHMARKS_LIB_MEASURE_RATE_H_
#define TRIBUTARY_BENCHMARKS_LIB_MEASURE_RATE_H_

#include <cstdint>

#include "absl/functional/function_ref.h"
#include "absl/time/time.h"

namespace tributary {

struct MeasuredRate {
  double per_second = 0;  // of all threads together
  // The rate by the threads' own CPU time, which excludes other work on the
  // machine.
  double per_cpu_second = 0;
};

// Calls `piece(thread)` repeatedly in each of `threads` (at least 1) threads
// until `time` has passed, at least once in each, and returns the rate of the
// sum of its results. A piece should take well below `time`.
MeasuredRate MeasureRate(int threads, absl::Duration time,
                         absl::FunctionRef<uint64_t(int thread)> piece);

// Returns the user and system seconds that all threads of this process have
// used so far.
double ProcessCpuSeconds();

}  // namespace tributary

#endif  // TRIBUTARY_BENCHMARKS_LIB_MEASURE_RATE_H_
