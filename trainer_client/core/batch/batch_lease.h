// A batch that a loader has delivered to its user.
#ifndef TRIBUTARY_TRAINER_CLIENT_CORE_BATCH_BATCH_LEASE_H_
#define TRIBUTARY_TRAINER_CLIENT_CORE_BATCH_BATCH_LEASE_H_

#include <memory>
#include <utility>

#include "common/batch/batch_view.h"

namespace tributary {

// A complete batch that its user reads. The tensors lie in the receive ring and
// are valid until the lease is destroyed, on any thread, in any order; that
// returns their room. Keeps the ring alive, so it may outlive the loader.
// Move-only, unlike ReceiveSlot, which everyone who may still write into the
// room shares before delivery.
class BatchLease {
 public:
  // `room` owns the slot: its destruction returns it to the ring.
  BatchLease(BatchView view, std::shared_ptr<const void> room)
      : view_(std::move(view)), room_(std::move(room)) {}
  BatchLease(BatchLease&&) = default;
  BatchLease& operator=(BatchLease&&) = default;
  BatchLease(const BatchLease&) = delete;
  BatchLease& operator=(const BatchLease&) = delete;

  const BatchView& view() const { return view_; }
  uint64_t index() const { return view_.key().index; }
  // Returns the owner of the slot, for tensors that outlive the lease: the slot
  // returns to the ring when the last owner is destroyed.
  std::shared_ptr<const void> room() const { return room_; }

 private:
  BatchView view_;
  std::shared_ptr<const void> room_;
};

}  // namespace tributary

#endif  // TRIBUTARY_TRAINER_CLIENT_CORE_BATCH_BATCH_LEASE_H_
