#include "channel/shm/shared_memories.h"

#include <utility>

namespace tributary {

void SharedMemories::Add(std::shared_ptr<SharedMemory> memory) {
  MutexLock lock(mutex_);
  std::erase_if(memories_, [](const auto& weak) { return weak.expired(); });
  memories_.push_back(std::move(memory));
}

std::shared_ptr<SharedMemory> SharedMemories::Holding(
    absl::Span<const uint8_t> bytes) const {
  MutexLock lock(mutex_);
  for (const auto& weak : memories_) {
    std::shared_ptr<SharedMemory> memory = weak.lock();
    if (memory == nullptr) continue;
    const absl::Span<uint8_t> whole = memory->bytes();
    if (bytes.data() >= whole.data() &&
        bytes.data() + bytes.size() <= whole.data() + whole.size()) {
      return memory;
    }
  }
  return nullptr;
}

}  // namespace tributary
