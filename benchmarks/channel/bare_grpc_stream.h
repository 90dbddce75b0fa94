// What gRPC by itself, as it comes, makes of a stream of byte buffers.
#ifndef TRIBUTARY_BENCHMARKS_CHANNEL_BARE_GRPC_STREAM_H_
#define TRIBUTARY_BENCHMARKS_CHANNEL_BARE_GRPC_STREAM_H_

#include <cstddef>
#include <cstdint>
#include <memory>

#include "absl/status/statusor.h"
#include "absl/types/span.h"

namespace tributary {

// Answers each call with `bytes` out of `room`, again and again from its
// beginning, in messages of `message_bytes` that refer to it. No CRC, no
// header, default options.
class BareGrpcSource {
 public:
  virtual ~BareGrpcSource() = default;
  static absl::StatusOr<std::unique_ptr<BareGrpcSource>> Start(
      absl::Span<const uint8_t> room, size_t message_bytes, uint64_t bytes);
  virtual uint16_t port() const = 0;
};

// Seconds until `streams` calls, each on a connection of its own, have brought
// `bytes` each, which are copied into equal parts of `to`; dropped when it is
// empty. The connections are made before the clock starts.
absl::StatusOr<double> BareGrpcSeconds(uint16_t port, int streams,
                                       uint64_t bytes, absl::Span<uint8_t> to);

}  // namespace tributary

#endif  // TRIBUTARY_BENCHMARKS_CHANNEL_BARE_GRPC_STREAM_H_
