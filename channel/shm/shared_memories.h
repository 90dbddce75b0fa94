// The memories that a trainer's rooms lie in.
#ifndef TRIBUTARY_CHANNEL_SHM_SHARED_MEMORIES_H_
#define TRIBUTARY_CHANNEL_SHM_SHARED_MEMORIES_H_

#include <cstdint>
#include <memory>
#include <vector>

#include "absl/types/span.h"
#include "channel/shm/shared_memory.h"
#include "common/runtime/mutex.h"

namespace tributary {

// Keeps none of them. Thread-safe.
class SharedMemories {
 public:
  void Add(std::shared_ptr<SharedMemory> memory);
  // That `bytes` lie in; null: none.
  std::shared_ptr<SharedMemory> Holding(absl::Span<const uint8_t> bytes) const;

 private:
  mutable Mutex mutex_;
  std::vector<std::weak_ptr<SharedMemory>> memories_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace tributary

#endif  // TRIBUTARY_CHANNEL_SHM_SHARED_MEMORIES_H_
