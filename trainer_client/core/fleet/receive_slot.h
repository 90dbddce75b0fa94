// A slot of the receive ring that frees itself.
#ifndef TRIBUTARY_TRAINER_CLIENT_CORE_FLEET_RECEIVE_SLOT_H_
#define TRIBUTARY_TRAINER_CLIENT_CORE_FLEET_RECEIVE_SLOT_H_

#include <cstddef>
#include <memory>
#include <optional>
#include <utility>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "channel/slot_ring.h"
#include "common/text/status.h"

namespace tributary {

// Shared by all who may write into the room or read from it: the open grant,
// the copy of a frame under way, a server in this process. The room is used
// again only when the last of them has let go, so a server that was given up
// can do no harm. Let go of on any thread; the rest belongs to one at a time.
class ReceiveSlot {
 public:
  // Null when there is no such room now.
  static std::shared_ptr<ReceiveSlot> Allocate(std::shared_ptr<SlotRing> ring,
                                               size_t bytes) {
    const std::optional<SlotId> id = ring->Allocate(bytes);
    if (!id.has_value()) return nullptr;
    return std::shared_ptr<ReceiveSlot>(new ReceiveSlot(std::move(ring), *id));
  }
  ~ReceiveSlot() {
    if (!lent_) ring_->Free(id_).IgnoreError();  // it is granted or ready
  }
  ReceiveSlot(const ReceiveSlot&) = delete;
  ReceiveSlot& operator=(const ReceiveSlot&) = delete;

  absl::Span<uint8_t> bytes() const { return bytes_; }
  // The batch takes the first `bytes`; gives the rest back.
  absl::Status Filled(size_t bytes) {
    RETURN_IF_ERROR(ring_->MarkReady(id_, bytes));
    bytes_ = bytes_.first(bytes);
    return absl::OkStatus();
  }
  // Requires Filled. From here on the lease frees the room.
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
