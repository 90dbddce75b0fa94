// The yardstick: bytes through one loopback socket by writev and readv, with
// nothing else done to them.
#ifndef TRIBUTARY_BENCHMARKS_CHANNEL_RAW_STREAM_H_
#define TRIBUTARY_BENCHMARKS_CHANNEL_RAW_STREAM_H_

#include <cstddef>
#include <cstdint>

namespace tributary {

// Sends `repeats` times the `size` bytes at `from` to another thread, which
// reads them into `to`, as large, in pieces of 16 KiB, 65 a call. Seconds; 0
// when a socket failed.
double RawStreamSeconds(const uint8_t* from, uint8_t* to, size_t size,
                        int repeats);

}  // namespace tributary

#endif  // TRIBUTARY_BENCHMARKS_CHANNEL_RAW_STREAM_H_
