// Puts a batch's frames together, in the slot that was granted for it.
#ifndef TRIBUTARY_CHANNEL_FRAME_ASSEMBLER_H_
#define TRIBUTARY_CHANNEL_FRAME_ASSEMBLER_H_

#include <cstdint>

#include "absl/status/status.h"
#include "absl/types/span.h"
#include "channel/message.h"

namespace tributary {

// Takes the frames of one grant. A stream is ordered, so frames come ascending
// and without a gap; anything else is an error of the other end. Not
// thread-safe.
class FrameAssembler {
 public:
  // `slot` is the granted room and outlives the assembler.
  explicit FrameAssembler(absl::Span<uint8_t> slot) : slot_(slot) {}

  // Copies the payload of `frame` to `offset` and checks its CRC on the way;
  // `offset` and `total` are those of its header. DATA_LOSS: damaged, a gap,
  // empty, another total, or larger than the slot: break the stream. After an
  // error the bytes of the slot mean nothing.
  absl::Status Add(uint64_t offset, uint64_t total, IncomingMessage& frame);

  bool complete() const { return total_ > 0 && received_ == total_; }
  uint64_t received() const { return received_; }
  // Of the whole room; 0 until the first frame.
  uint64_t total() const { return total_; }

 private:
  absl::Status Check(uint64_t offset, uint64_t total, uint64_t length) const;

  const absl::Span<uint8_t> slot_;
  uint64_t received_ = 0;
  uint64_t total_ = 0;
};

}  // namespace tributary

#endif  // TRIBUTARY_CHANNEL_FRAME_ASSEMBLER_H_
