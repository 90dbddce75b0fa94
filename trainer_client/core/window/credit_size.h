// Estimates the room to ask for when a batch's size is not known yet.
#ifndef TRIBUTARY_TRAINER_CLIENT_CORE_WINDOW_CREDIT_SIZE_H_
#define TRIBUTARY_TRAINER_CLIENT_CORE_WINDOW_CREDIT_SIZE_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <deque>

#include "common/io/buffer.h"

namespace tributary {

// Guesses the room that the next batch needs. Before the first batch: the
// specification's upper bound, but no more than an even share of the ring.
// Then 1.125 times the largest of the last 32 batches, so that nearly every
// batch fits and little room is reserved in vain; never more than half of the
// ring. A guess that is too small costs one more round trip (NEEDS). Pure
// state; not thread-safe.
class CreditSize {
 public:
  // All in bytes but `max_batches`, the most batches that are in the ring at
  // once. `upper_bound` 0: unknown.
  CreditSize(uint64_t ring_bytes, uint64_t max_batches, uint64_t upper_bound)
      : most_(std::max(Floor(ring_bytes / 2), kLeast)),
        first_(std::clamp(Floor(ring_bytes / max_batches), kLeast, most_)) {
    if (upper_bound != 0) {
      first_ = std::min(first_, std::max(Ceil(upper_bound), kLeast));
    }
  }

  // Takes the size of a batch that has arrived.
  void Saw(uint64_t room_bytes) {
    if (seen_.size() == kRemembered) seen_.pop_front();
    seen_.push_back(room_bytes);
  }

  // Returns the bytes to ask for, a multiple of 64.
  uint64_t Next() const {
    if (seen_.empty()) return first_;
    const uint64_t largest = *std::max_element(seen_.begin(), seen_.end());
    return std::clamp(Ceil(largest + largest / 8), kLeast, most_);
  }

 private:
  static constexpr size_t kRemembered = 32;
  static constexpr uint64_t kLeast = 4096;
  static constexpr uint64_t Floor(uint64_t n) { return n & ~uint64_t{63}; }
  static constexpr uint64_t Ceil(uint64_t n) { return AlignUp(n, kCacheLine); }

  uint64_t most_;
  uint64_t first_;
  std::deque<uint64_t> seen_;
};

}  // namespace tributary

#endif  // TRIBUTARY_TRAINER_CLIENT_CORE_WINDOW_CREDIT_SIZE_H_
