// Divides the receive ring among the batches of a window.
#ifndef TRIBUTARY_TRAINER_CLIENT_CORE_WINDOW_BATCH_ROOMS_H_
#define TRIBUTARY_TRAINER_CLIENT_CORE_WINDOW_BATCH_ROOMS_H_

#include <cstdint>
#include <memory>
#include <string>
#include <utility>

#include "absl/status/status.h"
#include "channel/slot_ring.h"
#include "common/batch/batch_key.h"
#include "trainer_client/core/fleet/batch_fleet.h"
#include "trainer_client/core/fleet/receive_slot.h"
#include "trainer_client/core/window/batch_window.h"
#include "trainer_client/core/window/credit_size.h"
#include "trainer_client/core/window/pending_batch.h"

namespace tributary {

// Decides how much room a batch gets, and frees room for it: a batch may evict
// ready batches above it, never those below. Not thread-safe, but the ring is:
// the user's leases return to it on any thread.
class BatchRooms {
 public:
  // `ring_option`: the option that sets the ring's size, for errors.
  // `max_batches`: the most batches in the ring at once. `max_batch_bytes`: the
  // specification's bound; 0: unknown.
  BatchRooms(std::shared_ptr<SlotRing> ring, std::string ring_option,
             uint64_t max_batches, uint64_t max_batch_bytes)
      : ring_(std::move(ring)),
        ring_option_(std::move(ring_option)),
        max_batch_bytes_(max_batch_bytes),
        credit_size_(ring_->capacity(), max_batches, max_batch_bytes) {}

  // Returns room for `batch`, which is in `window`, to be requested of
  // `server`; null if there is none. Beyond what the server has said that the
  // batch needs it takes no more than its largest credit, which is what the
  // server can make. The front of the window takes less than is usual if it
  // must. Adds the batches that were evicted to `*evicted`.
  std::shared_ptr<ReceiveSlot> Allocate(const PendingBatch& batch,
                                        const BatchServer& server,
                                        BatchWindow& window, uint64_t* evicted);
  // Learns from the size of a batch that has arrived.
  void OnReceived(uint64_t bytes) { credit_size_.Saw(bytes); }

  // INVALID_ARGUMENT: a batch of `bytes`, as a server says, is larger than the
  // ring. INTERNAL: and larger than the specification allows.
  absl::Status CheckFits(uint64_t bytes) const;
  // FAILED_PRECONDITION: the batch finds no room of `least` bytes, and only the
  // user can make some, by releasing leases. Batches on their way, and room
  // that lost servers may still write into, come back without the user.
  absl::Status CheckLeases(uint64_t least, const BatchKey& key) const;

  const SlotRing& ring() const { return *ring_; }
  uint64_t capacity() const { return ring_->capacity(); }

 private:
  const std::shared_ptr<SlotRing> ring_;
  const std::string ring_option_;
  const uint64_t max_batch_bytes_;
  CreditSize credit_size_;
};

}  // namespace tributary

#endif  // TRIBUTARY_TRAINER_CLIENT_CORE_WINDOW_BATCH_ROOMS_H_
