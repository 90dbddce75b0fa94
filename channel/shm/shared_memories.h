// The shared memories in which a trainer's rooms may lie.
#ifndef TRIBUTARY_CHANNEL_SHM_SHARED_MEMORIES_H_
#define TRIBUTARY_CHANNEL_SHM_SHARED_MEMORIES_H_

#include <cstdint>
#include <memory>
#include <vector>

#include "absl/types/span.h"
#include "channel/shm/shared_memory.h"
#include "common/runtime/mutex.h"

namespace tributary {

// Finds the shared memory around a room, so that the room can be lent to
// another process. Holds weak references only. Thread-safe.
class SharedMemories {
 public:
  void Add(std::shared_ptr<SharedMemory> memory);
  // Returns the memory that contains `bytes`; null if none does.
  std::shared_ptr<SharedMemory> Holding(absl::Span<const uint8_t> bytes) const;

 private:
  mutable Mutex mutex_;
  std::vector<std::weak_ptr<SharedMemory>> memories_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace tributary

#endif  // TRIBUTARY_CHANNEL_SHM_SHARED_MEMORIES_H_
