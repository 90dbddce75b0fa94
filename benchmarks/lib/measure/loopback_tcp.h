// Raw TCP over loopback: the limit that batch streams are compared with.
#ifndef TRIBUTARY_BENCHMARKS_LIB_MEASURE_LOOPBACK_TCP_H_
#define TRIBUTARY_BENCHMARKS_LIB_MEASURE_LOOPBACK_TCP_H_

#include <netinet/in.h>

#include <cstdint>
#include <memory>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"

namespace tributary {

// Returns the name of a port of 127.0.0.1; 0: any.
sockaddr_in LoopbackAt(uint16_t port);

// The sending end. Each frame is one writev of a small prefix and 1 MiB, as the
// frames of a batch stream are, with nothing else done to the bytes. Returns
// UNAVAILABLE with the system's message for every failing call; an end that
// waits gives up after 10 s. Not thread-safe.
class LoopbackSource {
 public:
  virtual ~LoopbackSource() = default;
  // Listens on a free port. `from` outlives the source. Returns
  // INVALID_ARGUMENT if it is smaller than 1 MiB.
  static absl::StatusOr<std::unique_ptr<LoopbackSource>> Listen(
      absl::Span<const uint8_t> from);
  virtual uint16_t port() const = 0;
  // Accepts `streams` connections and sends `bytes` on each, on a thread per
  // connection. The bytes are those of `from`, from its beginning again where
  // less than 1 MiB is left of it.
  virtual absl::Status Send(int streams, uint64_t bytes) = 0;
};

// The receiving end, in this process or another one. Returns the seconds until
// `bytes` of each of `streams` (at least 1) connections have been read, by
// readv on a thread per connection into an equal part of `to`, repeatedly as
// above. Returns INVALID_ARGUMENT if a part is smaller than 1 MiB.
absl::StatusOr<double> ReceiveSeconds(uint16_t port, int streams,
                                      uint64_t bytes, absl::Span<uint8_t> to);

// Runs both ends in this process and returns the bytes a second of all
// `streams` connections together; each transfers `bytes`, between buffers
// larger than most caches.
absl::StatusOr<double> LoopbackTcpBytesPerSecond(int streams, uint64_t bytes);

}  // namespace tributary

#endif  // TRIBUTARY_BENCHMARKS_LIB_MEASURE_LOOPBACK_TCP_H_
