// The trainer's receive memory, allocated in slots of varying size.
#ifndef TRIBUTARY_CHANNEL_SLOT_RING_H_
#define TRIBUTARY_CHANNEL_SLOT_RING_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "common/io/buffer.h"
#include "common/runtime/mutex.h"

namespace tributary {

// Identifies a slot; a ring never uses an id again.
using SlotId = uint64_t;

struct SlotRingStats {
  // Slots in each state.
  size_t granted = 0;
  size_t ready = 0;
  size_t leased = 0;
  size_t used_bytes = 0;  // of all slots, in whole units
  size_t leased_bytes = 0;
  size_t largest_free_bytes = 0;  // the most that Allocate can return now
  size_t peak_bytes = 0;          // the maximum of used_bytes so far
};

// A slot passes through the states FREE -> GRANTED -> READY -> LEASED -> FREE.
// A granted slot stays so until its holder has returned it or is proven dead,
// because a frozen process may still write into it. Slots are freed in any
// order. Allocation is best fit over coalesced free extents, in units of 4 KiB.
//
// Thread-safe. Leases keep the ring alive. Every method returns
// FAILED_PRECONDITION if the slot is not in the state that it requires.
class SlotRing : public std::enable_shared_from_this<SlotRing> {
 public:
  static constexpr size_t kUnit = 4096;

  // Returns a ring over memory of its own; `bytes` is rounded up to whole
  // units.
  static std::shared_ptr<SlotRing> Create(size_t bytes);
  // Returns a ring over the whole units of `memory`, which other processes may
  // map and which `owner` keeps. Requires `memory` aligned to 64 bytes.
  static std::shared_ptr<SlotRing> Over(absl::Span<uint8_t> memory,
                                        std::shared_ptr<const void> owner);

  // Sets the function that is called after memory has become free, on the
  // thread that freed it, without the lock; it must only post. Set it before
  // the first lease. An empty function removes the last one, a call of which
  // may still be running.
  void OnRoomFreed(std::function<void()> callback);

  size_t capacity() const { return memory_.size(); }

  // FREE -> GRANTED. Returns nullopt if no free extent is large enough. A slot
  // of 0 bytes takes a unit.
  std::optional<SlotId> Allocate(size_t bytes);
  // Returns the slot's bytes: as many as were allocated, or as were kept by
  // MarkReady.
  absl::StatusOr<absl::Span<uint8_t>> Bytes(SlotId id) const;
  // GRANTED -> READY. Keeps the first `bytes`, which hold the batch, and frees
  // the rest.
  absl::Status MarkReady(SlotId id, size_t bytes);
  // GRANTED -> FREE: the holder has returned the slot or is dead. READY ->
  // FREE: the batch in it is discarded.
  absl::Status Free(SlotId id);
  // READY -> LEASED, and LEASED -> FREE when the last copy of the result is
  // destroyed, on any thread.
  absl::StatusOr<std::shared_ptr<const void>> Lease(SlotId id);

  SlotRingStats stats() const;

 private:
  enum class State { kGranted, kReady, kLeased };
  struct Slot {
    State state = State::kGranted;
    size_t offset = 0;
    size_t extent = 0;  // whole units
    size_t bytes = 0;   // as the caller asked for or kept
  };

  SlotRing(AlignedBuffer buffer, absl::Span<uint8_t> memory,
           std::shared_ptr<const void> owner);

  static const char* Name(State state);
  absl::StatusOr<Slot*> Find(SlotId id, State wanted, const char* verb)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  static absl::Status WrongState(SlotId id, State state, const char* verb);
  void ReturnExtent(size_t offset, size_t extent)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void EndLease(SlotId id);
  void TellRoomFreed();

  const AlignedBuffer buffer_;               // the memory of Create; or
  const std::shared_ptr<const void> owner_;  // the owner of Over's memory
  const absl::Span<uint8_t> memory_;
  mutable Mutex mutex_;
  SlotId next_id_ ABSL_GUARDED_BY(mutex_) = 1;
  std::map<SlotId, Slot> slots_ ABSL_GUARDED_BY(mutex_);
  std::map<size_t, size_t> free_ ABSL_GUARDED_BY(mutex_);  // offset -> extent
  size_t used_ ABSL_GUARDED_BY(mutex_) = 0;
  size_t peak_ ABSL_GUARDED_BY(mutex_) = 0;
  std::function<void()> room_freed_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace tributary

#endif  // TRIBUTARY_CHANNEL_SLOT_RING_H_
