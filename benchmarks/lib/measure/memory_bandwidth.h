// Measures this machine's memory: the limits that sampling (random reads) and
// gathering (copies) are compared with.
#ifndef TRIBUTARY_BENCHMARKS_LIB_MEASURE_MEMORY_BANDWIDTH_H_
#define TRIBUTARY_BENCHMARKS_LIB_MEASURE_MEMORY_BANDWIDTH_H_

#include <cstdint>

#include "absl/time/time.h"
#include "benchmarks/lib/measure/rate.h"

namespace tributary {

// Returns the cache lines read a second: `threads` (at least 1) each read one
// word of random lines of `bytes` bytes (at least one line), in huge pages
// where allowed, for `time`. The result is the best of three ways: plain
// independent reads, and reads prefetched 64 or 128 reads ahead. Sampling reads
// two such lines for most edges.
MeasuredRate MeasureRandomLineRate(int threads, uint64_t bytes,
                                   absl::Duration time);

// Returns the bytes copied a second by memcpy, the upper limit of gathering.
// Each thread copies between two buffers of its own, which are larger than most
// caches.
MeasuredRate MeasureMemcpyRate(int threads, absl::Duration time);

}  // namespace tributary

#endif  // TRIBUTARY_BENCHMARKS_LIB_MEASURE_MEMORY_BANDWIDTH_H_
