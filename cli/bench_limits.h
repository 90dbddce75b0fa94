// What this machine can do, measured in the same run as what is compared with
// it: figures of different machines compare by their ratio.
#ifndef TRIBUTARY_CLI_BENCH_LIMITS_H_
#define TRIBUTARY_CLI_BENCH_LIMITS_H_

#include <cstdint>

#include "absl/status/statusor.h"
#include "absl/time/time.h"

namespace tributary {

// Independent reads of a word each of random cache lines of `bytes` (at least
// one line) in huge pages where allowed, by `threads` (at least 1) for `time`:
// sampling reads at least one line for each edge.
double RandomLinesPerSecond(int threads, uint64_t bytes, absl::Duration time);

// Bytes copied, each thread between buffers of its own: what gathering is at
// best.
double MemcpyBytesPerSecond(int threads, absl::Duration time);

// `bytes` over one loopback connection, by writev of a small prefix and 1 MiB
// each and readv in another thread: what a batch stream is at best.
// UNAVAILABLE with the system's word when sockets fail.
absl::StatusOr<double> TcpBytesPerSecond(uint64_t bytes);

}  // namespace tributary

#endif  // TRIBUTARY_CLI_BENCH_LIMITS_H_
