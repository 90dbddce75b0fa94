// Copies the frames of a batch into the slot that was granted for it.
#ifndef TRIBUTARY_CHANNEL_FRAME_ASSEMBLER_H_
#define TRIBUTARY_CHANNEL_FRAME_ASSEMBLER_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "absl/status/status.h"
#include "absl/types/span.h"
#include "channel/message.h"
#include "common/batch/left_out.h"

namespace tributary {

// Receives the frames of one grant. A stream is ordered, so the frames arrive
// in ascending order; anything else is an error of the sender. Between frames
// there are gaps only where bytes are left out. Not thread-safe.
class FrameAssembler {
 public:
  // `slot`: the granted memory, which outlives the assembler. `may_leave_out`:
  // the credit has named rows that the trainer holds.
  explicit FrameAssembler(absl::Span<uint8_t> slot, bool may_leave_out = false)
      : slot_(slot), may_leave_out_(may_leave_out) {}

  // Where a frame belongs, as its header says.
  struct Place {
    uint64_t offset = 0;
    uint64_t total = 0;           // bytes of the whole batch
    uint64_t left_out_bytes = 0;  // of them, that no frame carries
  };
  // Copies the payload of `frame` to its place, unless it was read into
  // RoomFor's, and checks its CRC. Returns DATA_LOSS if the frame is damaged,
  // is empty, leaves a gap that is not left out, has another total than the
  // first one, or exceeds the slot: the caller breaks the stream, and the
  // slot's contents are undefined.
  absl::Status Add(const Place& place, IncomingMessage& frame);
  absl::Status Add(uint64_t offset, uint64_t total, IncomingMessage& frame) {
    return Add({offset, total}, frame);
  }

  // Returns where the payload of the next frame, of `length` bytes, belongs,
  // for StreamHandler::RoomFor; empty if Add would refuse the frame.
  absl::Span<uint8_t> RoomFor(const Place& place, uint64_t length) const;

  bool complete() const {
    return total_ > 0 && received_ + left_out_ == total_;
  }
  // Bytes of frames.
  uint64_t received() const { return received_; }
  // The size of the whole batch in bytes; 0 until the first frame.
  uint64_t total() const { return total_; }
  // What was left out. Requires complete().
  std::vector<BatchGap> TakeGaps();

 private:
  absl::Status Check(const Place& place, uint64_t length) const;

  const absl::Span<uint8_t> slot_;
  const bool may_leave_out_;
  uint64_t received_ = 0;
  uint64_t total_ = 0;
  uint64_t left_out_ = 0;
  uint64_t skipped_ = 0;  // bytes of gaps_
  std::vector<BatchGap> gaps_;
};

}  // namespace tributary

#endif  // TRIBUTARY_CHANNEL_FRAME_ASSEMBLER_H_
