// What this machine's memory can do: the yardsticks of sampling and gathering.
#ifndef TRIBUTARY_CHANNEL_MEASURE_MEMORY_LIMITS_H_
#define TRIBUTARY_CHANNEL_MEASURE_MEMORY_LIMITS_H_

#include <cstdint>

#include "absl/time/time.h"
#include "channel/measure/rate.h"

namespace tributary {

// Lines: independent reads of a word each of random cache lines of `bytes` (at
// least one line), in huge pages where allowed, by `threads` (at least 1) for
// `time`: the best of reads that merely depend on nothing and reads that were
// asked for 64 or 128 before. Sampling reads two such lines for most edges.
MeasuredRate RandomLineRate(int threads, uint64_t bytes, absl::Duration time);

// Bytes copied by memcpy, each thread between buffers of its own that are
// larger than most caches: what gathering is at best.
MeasuredRate MemcpyRate(int threads, absl::Duration time);

}  // namespace tributary

#endif  // TRIBUTARY_CHANNEL_MEASURE_MEMORY_LIMITS_H_
