// Copies the frames of a batch into the slot that was granted for it.
#ifndef TRIBUTARY_CHANNEL_FRAME_ASSEMBLER_H_
#define TRIBUTARY_CHANNEL_FRAME_ASSEMBLER_H_

#include <cstdint>

#include "absl/status/status.h"
#include "absl/types/span.h"
#include "channel/message.h"

namespace tributary {

// Receives the frames of one grant. A stream is ordered, so the frames arrive
// in ascending order without gaps; anything else is an error of the sender. Not
// thread-safe.
class FrameAssembler {
 public:
  // `slot`: the granted memory, which outlives the assembler.
  explicit FrameAssembler(absl::Span<uint8_t> slot) : slot_(slot) {}

  // Copies the payload of `frame` to `offset` and checks its CRC while copying.
  // `offset` and `total` are those of the frame's header. Returns DATA_LOSS if
  // the frame is damaged, is empty, leaves a gap, has another total than the
  // first one, or exceeds the slot: the caller breaks the stream, and the
  // slot's contents are undefined.
  absl::Status Add(uint64_t offset, uint64_t total, IncomingMessage& frame);

  bool complete() const { return total_ > 0 && received_ == total_; }
  uint64_t received() const { return received_; }
  // The size of the whole batch in bytes; 0 until the first frame.
  uint64_t total() const { return total_; }

 private:
  absl::Status Check(uint64_t offset, uint64_t total, uint64_t length) const;

  const absl::Span<uint8_t> slot_;
  uint64_t received_ = 0;
  uint64_t total_ = 0;
};

}  // namespace tributary

#endif  // TRIBUTARY_CHANNEL_FRAME_ASSEMBLER_H_
