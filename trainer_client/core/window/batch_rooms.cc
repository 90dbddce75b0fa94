#include "trainer_client/core/window/batch_rooms.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "common/io/buffer.h"

namespace tributary {

std::shared_ptr<ReceiveSlot> BatchRooms::Allocate(const PendingBatch& batch,
                                                  uint64_t largest_credit,
                                                  BatchWindow& window,
                                                  uint64_t* evicted) {
  uint64_t bytes =
      batch.needed_bytes() != 0
          ? std::max(batch.needed_bytes(),
                     std::min(batch.wanted_bytes(), largest_credit))
          : std::min(credit_size_.Next(), largest_credit);
  // The front must not wait for room that it may not need.
  const bool may_shrink = batch.index() == window.front().index();
  while (true) {
    if (auto slot = ReceiveSlot::Allocate(ring_, bytes)) return slot;
    if (window.EvictAbove(batch.index())) {
      ++*evicted;
    } else if (may_shrink && bytes > batch.LeastRoom()) {
      bytes = std::max(AlignUp(bytes / 2, kCacheLine), batch.LeastRoom());
    } else {
      return nullptr;
    }
  }
}

absl::Status BatchRooms::CheckFits(const BatchKey& key, uint64_t bytes) const {
  if (bytes <= ring_->capacity()) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat(
      key.ToString(), " needs ", bytes, " bytes, ", ring_option_, " is ",
      ring_->capacity(), ": raise ", ring_option_, " to at least ", bytes));
}

absl::Status BatchRooms::CheckLeases(const PendingBatch& batch,
                                     const BatchKey& key) const {
  const SlotRingStats ring = ring_->stats();
  if (ring.leased == 0 || ring.used_bytes > ring.leased_bytes) {
    return absl::OkStatus();
  }
  const uint64_t least = batch.LeastRoom();
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
