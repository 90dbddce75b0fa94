// What this machine's TCP can do, over loopback: the yardstick of streams.
#ifndef TRIBUTARY_CHANNEL_MEASURE_LOOPBACK_TCP_H_
#define TRIBUTARY_CHANNEL_MEASURE_LOOPBACK_TCP_H_

#include <cstdint>
#include <memory>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"

namespace tributary {

// Sends over raw sockets, with nothing else done to the bytes: writev of a
// small prefix and 1 MiB, as a batch stream's frames are. Errors are
// UNAVAILABLE with the system's word; an end that waits gives up after 10 s.
class LoopbackSource {
 public:
  virtual ~LoopbackSource() = default;
  // Listens on a free port. `from` outlives the source. INVALID_ARGUMENT when
  // it is smaller than 1 MiB.
  static absl::StatusOr<std::unique_ptr<LoopbackSource>> Listen(
      absl::Span<const uint8_t> from);
  virtual uint16_t port() const = 0;
  // Accepts `streams` connections and sends `bytes` on each, each on a thread
  // of its own, out of `from`: from its beginning again where less than 1 MiB
  // is left of it.
  virtual absl::Status Send(int streams, uint64_t bytes) = 0;
};

// The other end, in this process or another: seconds until `bytes` of each of
// `streams` (at least 1) have been read, by readv, each on a thread of its own
// into an equal part of `to`, again and again as above. INVALID_ARGUMENT when a
// part is smaller than 1 MiB.
absl::StatusOr<double> ReceiveSeconds(uint16_t port, int streams,
                                      uint64_t bytes, absl::Span<uint8_t> to);

// Both ends in this process: `bytes` over each of `streams` connections, in
// bytes a second of all together, between buffers larger than most caches.
absl::StatusOr<double> LoopbackTcpBytesPerSecond(int streams, uint64_t bytes);

}  // namespace tributary

#endif  // TRIBUTARY_CHANNEL_MEASURE_LOOPBACK_TCP_H_
