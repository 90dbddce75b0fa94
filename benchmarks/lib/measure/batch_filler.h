// The sending end of a measured channel: fills batches as a worker does.
#ifndef TRIBUTARY_BENCHMARKS_LIB_MEASURE_BATCH_FILLER_H_
#define TRIBUTARY_BENCHMARKS_LIB_MEASURE_BATCH_FILLER_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

#include "absl/types/span.h"
#include "channel/transport.h"
#include "common/runtime/executor.h"

namespace tributary {

// The first bytes of a measured batch; both ends are one build on one machine.
struct BatchStamp {
  uint64_t grant = 0;
  // The time by CLOCK_MONOTONIC, which all processes of a machine share, when
  // the batch was filled and only its transfer was left to do.
  int64_t filled_ns = 0;
};
static_assert(sizeof(BatchStamp) == 16);

// Returns the time by CLOCK_MONOTONIC in nanoseconds.
int64_t MonotonicNs();

// Answers each credit of every stream with as many bytes as it allows: a memcpy
// of piece `grant` of `from`, cyclically, with the stamp over its first bytes.
// It is written into the room that came with the credit and announced by Ready;
// without a room, it is written into a buffer of its own and sent in frames.
// The work runs on the executor, as servers make batches. A credit that is
// smaller than a stamp, or larger than `from` or its room, closes the stream
// with INVALID_ARGUMENT. Thread-safe.
class BatchFiller final : public StreamAcceptor {
 public:
  // `from` and `executor` outlive the streams.
  BatchFiller(absl::Span<const uint8_t> from, Executor* executor)
      : from_(from), executor_(executor) {}
  std::shared_ptr<StreamHandler> Accept(StreamMethod method, CallerPtr caller,
                                        std::shared_ptr<Stream> stream,
                                        absl::Status* why) override;

 private:
  class Handler;

  const absl::Span<const uint8_t> from_;
  Executor* const executor_;
};

}  // namespace tributary

#endif  // TRIBUTARY_BENCHMARKS_LIB_MEASURE_BATCH_FILLER_H_
