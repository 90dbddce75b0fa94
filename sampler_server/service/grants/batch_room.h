// The memory that one batch is gathered into on the server.
#ifndef TRIBUTARY_SAMPLER_SERVER_SERVICE_GRANTS_BATCH_ROOM_H_
#define TRIBUTARY_SAMPLER_SERVER_SERVICE_GRANTS_BATCH_ROOM_H_

#include <memory>
#include <utility>

#include "absl/types/span.h"
#include "channel/message.h"
#include "common/io/buffer.h"
#include "common/runtime/byte_budget.h"

namespace tributary {

// Either the trainer's own slot, lent with its credit (in process, shared
// memory), or a buffer of the server that travels as frames. Owns the grant's
// reservation in the memory budget: all of it while the task works, then the
// bytes of the buffer. Destroyed when neither the task nor the transport reads
// or writes the memory. Not thread-safe; passed from the task to the stream's
// strand, and from there to the network's thread.
class BatchRoom {
 public:
  // `lent` is null where the trainer has lent no slot. `hold` (of Activity)
  // marks the server and the graph as busy.
  BatchRoom(Reservation reservation, std::shared_ptr<SharedRoom> lent,
            std::shared_ptr<const void> hold)
      : hold_(std::move(hold)),
        reservation_(std::move(reservation)),
        lent_(std::move(lent)) {}

  // Returns `bytes` bytes, aligned to 64, for the task to fill. Requires that
  // the slot, or the reservation, has as many.
  absl::Span<uint8_t> Allocate(size_t bytes) {
    if (lent_ != nullptr) return lent_->bytes().first(bytes);
    buffer_ = AlignedBuffer(bytes);
    return buffer_.span();
  }

  // Releases the reservation but for the buffer. Call it when the task has
  // freed its working memory.
  void ReleaseWorkingMemory() { reservation_.ShrinkTo(buffer_.size()); }

  // The trainer's slot; null: the batch is in buffer().
  const std::shared_ptr<SharedRoom>& lent() const { return lent_; }
  absl::Span<const uint8_t> buffer() const { return buffer_.span(); }

 private:
  // In the order in which they are acquired; released in reverse.
  const std::shared_ptr<const void> hold_;
  Reservation reservation_;
  const std::shared_ptr<SharedRoom> lent_;
  AlignedBuffer buffer_;
};

}  // namespace tributary

#endif  // TRIBUTARY_SAMPLER_SERVER_SERVICE_GRANTS_BATCH_ROOM_H_
