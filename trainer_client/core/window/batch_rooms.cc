#include "trainer_client/core/window/batch_rooms.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "common/io/buffer.h"

namespace tributary {

std::shared_ptr<ReceiveSlot> BatchRooms::Allocate(const PendingBatch& batch,
                                                  const BatchServer& server,
                                                  BatchWindow& window,
                                                  uint64_t* evicted) {
  const uint64_t least = batch.LeastRoom(server.address());
  const uint64_t usual =
      batch.wanted_bytes() != 0 ? batch.wanted_bytes() : credit_size_.Next();
  uint64_t bytes = std::min(usual, server.largest_credit());
  if (batch.HasNeedOf(server.address()) || batch.received_bytes() != 0) {
    bytes = std::max(bytes, least);
  }
  // The front must not wait for room that it may not need.
  const bool may_shrink = batch.index() == window.front().index();
  while (true) {
    if (auto slot = ReceiveSlot::Allocate(ring_, bytes)) return slot;
    if (window.EvictAbove(batch.index())) {
      ++*evicted;
    } else if (may_shrink && bytes > least) {
      bytes = std::max(AlignUp(bytes / 2, kCacheLine), least);
    } else {
      return nullptr;
    }
  }
}

absl::Status BatchRooms::CheckFits(uint64_t bytes) const {
  if (bytes <= ring_->capacity()) return absl::OkStatus();
  if (max_batch_bytes_ != 0 && bytes > max_batch_bytes_) {
    return absl::InternalError(
        absl::StrCat("it needs ", bytes, " bytes, where no batch of this ",
                     "session can have more than ", max_batch_bytes_));
  }
  return absl::InvalidArgumentError(absl::StrCat(
      "it needs ", bytes, " bytes, ", ring_option_, " is ", ring_->capacity(),
      ": raise ", ring_option_, " to at least ", bytes));
}

absl::Status BatchRooms::CheckLeases(uint64_t least,
                                     const BatchKey& key) const {
  const SlotRingStats ring = ring_->stats();
  if (ring.leased == 0 || ring.used_bytes > ring.leased_bytes) {
    return absl::OkStatus();
  }
  if (ring.largest_free_bytes >= least) {
    return absl::OkStatus();  // a lease was just released: it is requested now
  }
  return absl::FailedPreconditionError(absl::StrCat(
      ring.leased, " batches still leased hold ", ring.leased_bytes, " of the ",
      ring_->capacity(), " bytes of ", ring_option_, ", with at most ",
      ring.largest_free_bytes, " free in one piece where ", key.ToString(),
      " needs ", least, ": release some, or raise ", ring_option_));
}

}  // namespace tributary
