// The far end of measured hand-overs: fills rooms as a worker does.
#ifndef TRIBUTARY_CHANNEL_MEASURE_BATCH_FILLER_H_
#define TRIBUTARY_CHANNEL_MEASURE_BATCH_FILLER_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

#include "absl/types/span.h"
#include "channel/transport.h"
#include "common/runtime/executor.h"

namespace tributary {

// How a measured batch begins; both ends are one build on one machine.
struct BatchStamp {
  uint64_t grant = 0;
  // Of CLOCK_MONOTONIC, which processes of a machine share: when the batch was
  // filled and nothing but its hand-over was left to do.
  int64_t filled_ns = 0;
};
static_assert(sizeof(BatchStamp) == 16);

int64_t MonotonicNs();

// Answers each credit of every stream with as many bytes as it allows: a
// memcpy out of `from`, piece `grant` of it and round again, and the stamp over
// its beginning. Into the room that came beside the credit, which goes back
// with Ready; without one, into a room of its own, which goes in frames. On the
// executor, as servers make batches. Credits that are smaller than a stamp, or
// larger than `from` or their room, close the stream with INVALID_ARGUMENT.
class BatchFiller final : public StreamAcceptor {
 public:
  // Both outlive the streams.
  BatchFiller(absl::Span<const uint8_t> from, Executor* executor)
      : from_(from), executor_(executor) {}
  std::shared_ptr<StreamHandler> Accept(StreamMethod method, std::string peer,
                                        std::shared_ptr<Stream> stream,
                                        absl::Status* why) override;

 private:
  class Handler;

  const absl::Span<const uint8_t> from_;
  Executor* const executor_;
};

}  // namespace tributary

#endif  // TRIBUTARY_CHANNEL_MEASURE_BATCH_FILLER_H_
