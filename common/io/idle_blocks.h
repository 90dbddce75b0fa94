// Memory of large buffers between two uses.
#ifndef TRIBUTARY_COMMON_IO_IDLE_BLOCKS_H_
#define TRIBUTARY_COMMON_IO_IDLE_BLOCKS_H_

#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>

#include "absl/time/time.h"
#include "common/runtime/mutex.h"

namespace tributary {

// Keeps blocks that were given back, so that the system need not clear their
// pages again for the next ones. A block is one of a few sizes, at most an
// eighth larger than what was asked for, and lies at a multiple of 2 MiB from
// 2 MiB on, in huge pages where the system has some.
//
// Blocks in use and idle ones together are never more than there were in use at
// once: before a block is mapped, as many idle bytes are unmapped. Idle ones
// are unmapped after kKeepFor, by whatever comes next, or by Trim.
//
// Thread-safe.
class IdleBlocks {
 public:
  static constexpr size_t kSmallest = size_t{1} << 20;
  static constexpr size_t kLargestKept = size_t{256} << 20;
  static constexpr absl::Duration kKeepFor = absl::Seconds(2);

  // That of all buffers; never destroyed.
  static IdleBlocks& OfProcess();

  explicit IdleBlocks(size_t most_idle_bytes) : most_(most_idle_bytes) {}
  ~IdleBlocks();

  // Returns the size of the block for `bytes`, kSmallest or more.
  static size_t BlockBytes(size_t bytes);
  // Returns a block of BlockBytes(bytes), of any contents; null if there is no
  // memory.
  uint8_t* Take(size_t bytes, absl::Time now);
  // Takes back a block of Take(bytes).
  void Give(uint8_t* block, size_t bytes, absl::Time now);
  // Unmaps what has been idle for kKeepFor.
  void Trim(absl::Time now);
  // Limits the bytes of idle blocks; servers set their budget of batches.
  void SetMostIdleBytes(size_t bytes);
  size_t idle_bytes() const;

 private:
  struct Idle {
    uint8_t* block = nullptr;
    size_t bytes = 0;
    absl::Time since;
  };
  // The idle ones, by when they became so, and by size.
  using Blocks = std::map<uint64_t, Idle>;

  // Blocks that are unmapped when it ends, without the lock.
  class Unmapped;

  void Release(Blocks::iterator idle, Unmapped* unmapped)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void ReleaseOldest(size_t at_least, Unmapped* unmapped)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void TrimLocked(absl::Time now, Unmapped* unmapped)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);

  mutable Mutex mutex_;
  size_t most_ ABSL_GUARDED_BY(mutex_);
  size_t idle_bytes_ ABSL_GUARDED_BY(mutex_) = 0;
  uint64_t next_ ABSL_GUARDED_BY(mutex_) = 0;
  Blocks idle_ ABSL_GUARDED_BY(mutex_);
  std::map<size_t, std::deque<uint64_t>> by_size_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace tributary

#endif  // TRIBUTARY_COMMON_IO_IDLE_BLOCKS_H_
