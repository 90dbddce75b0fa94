// Room in the receive ring while a batch is on its way.
#ifndef TRIBUTARY_TRAINER_CLIENT_CORE_FLEET_RECEIVE_SLOT_H_
#define TRIBUTARY_TRAINER_CLIENT_CORE_FLEET_RECEIVE_SLOT_H_

#include <cstddef>
#include <memory>
#include <optional>
#include <utility>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "channel/message.h"
#include "channel/slot_ring.h"
#include "common/text/status.h"

namespace tributary {

// Owns one slot of a SlotRing from the credit until the batch is delivered, and
// frees it when destroyed. Everyone who may write into the room or read from it
// shares ownership: the open grant, the copy of a frame in progress, a server
// in this process (which gathers into it as its SharedRoom). So the room is
// reused only after the last of them has released it, and a server that the
// loader gave up cannot write into another batch.
//
// It is not a BatchLease because a lease is the user's: move-only, read-only,
// and it exists only for a batch that is complete and checked.
//
// The last reference may be dropped on any thread; all else must be called by
// one thread at a time.
class ReceiveSlot final : public SharedRoom {
 public:
  // Returns null if the ring has no such room now.
  static std::shared_ptr<ReceiveSlot> Allocate(std::shared_ptr<SlotRing> ring,
                                               size_t bytes) {
    const std::optional<SlotId> id = ring->Allocate(bytes);
    if (!id.has_value()) return nullptr;
    return std::shared_ptr<ReceiveSlot>(new ReceiveSlot(std::move(ring), *id));
  }
  ~ReceiveSlot() override {
    if (!lent_) ring_->Free(id_).IgnoreError();  // it is granted or ready
  }
  ReceiveSlot(const ReceiveSlot&) = delete;
  ReceiveSlot& operator=(const ReceiveSlot&) = delete;

  absl::Span<uint8_t> bytes() override { return bytes_; }
  // Marks the batch as complete in the first `bytes` and frees the rest.
  absl::Status Filled(size_t bytes) {
    RETURN_IF_ERROR(ring_->MarkReady(id_, bytes));
    bytes_ = bytes_.first(bytes);
    return absl::OkStatus();
  }
  // Returns an owner of the room that frees it, instead of this object.
  // Requires Filled.
  absl::StatusOr<std::shared_ptr<const void>> Lend() {
    ASSIGN_OR_RETURN(std::shared_ptr<const void> lease, ring_->Lease(id_));
    lent_ = true;
    return lease;
  }

 private:
  ReceiveSlot(std::shared_ptr<SlotRing> ring, SlotId id)
      : ring_(std::move(ring)), id_(id) {
    // It was allocated just now: it has bytes.
    if (auto bytes = ring_->Bytes(id_); bytes.ok()) bytes_ = *bytes;
  }

  const std::shared_ptr<SlotRing> ring_;
  const SlotId id_;
  absl::Span<uint8_t> bytes_;
  bool lent_ = false;
};

}  // namespace tributary

#endif  // TRIBUTARY_TRAINER_CLIENT_CORE_FLEET_RECEIVE_SLOT_H_
