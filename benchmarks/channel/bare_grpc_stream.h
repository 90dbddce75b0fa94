// A baseline: a stream of byte buffers over plain gRPC with default options.
#ifndef TRIBUTARY_BENCHMARKS_CHANNEL_BARE_GRPC_STREAM_H_
#define TRIBUTARY_BENCHMARKS_CHANNEL_BARE_GRPC_STREAM_H_

#include <cstddef>
#include <cstdint>
#include <memory>

#include "absl/status/statusor.h"
#include "absl/types/span.h"

namespace tributary {

// A gRPC server that answers each call with `bytes` bytes read from `room`,
// over and over from its beginning, in messages of `message_bytes` that
// reference `room` without a copy. No CRC, no header. `room` must outlive the
// object, whose destructor stops the server.
class BareGrpcSource {
 public:
  virtual ~BareGrpcSource() = default;
  static absl::StatusOr<std::unique_ptr<BareGrpcSource>> Start(
      absl::Span<const uint8_t> room, size_t message_bytes, uint64_t bytes);
  virtual uint16_t port() const = 0;
};

// Returns the seconds until `streams` calls, each on its own connection, have
// received `bytes` bytes each. They are copied into equal parts of `to`, or
// dropped if it is empty. Connections are made before the clock starts.
absl::StatusOr<double> BareGrpcSeconds(uint16_t port, int streams,
                                       uint64_t bytes, absl::Span<uint8_t> to);

}  // namespace tributary

#endif  // TRIBUTARY_BENCHMARKS_CHANNEL_BARE_GRPC_STREAM_H_
