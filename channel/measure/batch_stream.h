// Batches through gRPC streams as servers and trainers move them: frames with
// CRCs, cut from a room, copied and checked into a slot.
#ifndef TRIBUTARY_CHANNEL_MEASURE_BATCH_STREAM_H_
#define TRIBUTARY_CHANNEL_MEASURE_BATCH_STREAM_H_

#include <cstddef>
#include <cstdint>
#include <memory>

#include "absl/status/statusor.h"
#include "absl/types/span.h"

namespace tributary {

// Answers every credit with the same room, which outlives it.
class BatchSource {
 public:
  virtual ~BatchSource() = default;
  static absl::StatusOr<std::unique_ptr<BatchSource>> Start(
      absl::Span<const uint8_t> room, size_t frame_bytes);
  virtual uint16_t port() const = 0;
};

// Seconds until each of `streams`, each on a connection of its own, has brought
// `batches` into an equal part of `to`, two asked for ahead. The connections
// are made, and a batch is received, before the clock starts. Fails as the
// stream does, and with DEADLINE_EXCEEDED after 60 s.
absl::StatusOr<double> BatchSeconds(uint16_t port, int streams, int batches,
                                    absl::Span<uint8_t> to);

}  // namespace tributary

#endif  // TRIBUTARY_CHANNEL_MEASURE_BATCH_STREAM_H_
