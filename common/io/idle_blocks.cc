#include "common/io/idle_blocks.h"

#include <sys/mman.h>

#include <algorithm>
#include <bit>
#include <utility>
#include <vector>

#include "common/io/buffer.h"
#include "common/io/map_aligned.h"

namespace tributary {

class IdleBlocks::Unmapped {
 public:
  Unmapped() = default;
  ~Unmapped() {
    for (const auto& [block, bytes] : blocks_) munmap(block, bytes);
  }
  Unmapped(const Unmapped&) = delete;
  Unmapped& operator=(const Unmapped&) = delete;
  void Add(uint8_t* block, size_t bytes) { blocks_.emplace_back(block, bytes); }

 private:
  std::vector<std::pair<uint8_t*, size_t>> blocks_;
};

IdleBlocks& IdleBlocks::OfProcess() {
  static auto* const blocks = new IdleBlocks(size_t{64} << 20);
  return *blocks;
}

IdleBlocks::~IdleBlocks() {
  Unmapped unmapped;
  MutexLock lock(mutex_);
  while (!idle_.empty()) Release(idle_.begin(), &unmapped);
}

// In steps of an eighth of the power of two below.
size_t IdleBlocks::BlockBytes(size_t bytes) {
  return AlignUp(bytes, std::bit_floor(std::max(bytes, kSmallest)) / 8);
}

uint8_t* IdleBlocks::Take(size_t bytes, absl::Time now) {
  const size_t wanted = BlockBytes(bytes);
  {
    Unmapped unmapped;
    MutexLock lock(mutex_);
    TrimLocked(now, &unmapped);
    const auto found = by_size_.find(wanted);
    if (found != by_size_.end()) {
      // The one used last is the likeliest to be in a cache.
      const auto idle = idle_.find(found->second.back());
      uint8_t* const block = idle->second.block;
      found->second.pop_back();
      if (found->second.empty()) by_size_.erase(found);
      idle_bytes_ -= wanted;
      idle_.erase(idle);
      return block;
    }
    ReleaseOldest(wanted, &unmapped);
  }
  const bool huge = wanted >= kHugePage;
  uint8_t* const block = MapAligned(wanted, huge ? kHugePage : size_t{4} << 10);
  if (block != nullptr && huge) AdviseHugePages(block, wanted);
  return block;
}

void IdleBlocks::Give(uint8_t* block, size_t bytes, absl::Time now) {
  const size_t given = BlockBytes(bytes);
  Unmapped unmapped;
  MutexLock lock(mutex_);
  TrimLocked(now, &unmapped);
  if (given > std::min(kLargestKept, most_)) {
    unmapped.Add(block, given);
    return;
  }
  if (idle_bytes_ + given > most_) {
    ReleaseOldest(idle_bytes_ + given - most_, &unmapped);
  }
  const uint64_t number = next_++;
  idle_[number] = {block, given, now};
  by_size_[given].push_back(number);
  idle_bytes_ += given;
}

void IdleBlocks::Trim(absl::Time now) {
  Unmapped unmapped;
  MutexLock lock(mutex_);
  TrimLocked(now, &unmapped);
}

void IdleBlocks::SetMostIdleBytes(size_t bytes) {
  Unmapped unmapped;
  MutexLock lock(mutex_);
  most_ = bytes;
  if (idle_bytes_ > most_) ReleaseOldest(idle_bytes_ - most_, &unmapped);
}

size_t IdleBlocks::idle_bytes() const {
  MutexLock lock(mutex_);
  return idle_bytes_;
}

void IdleBlocks::TrimLocked(absl::Time now, Unmapped* unmapped) {
  while (!idle_.empty() && now - idle_.begin()->second.since >= kKeepFor) {
    Release(idle_.begin(), unmapped);
  }
}

void IdleBlocks::ReleaseOldest(size_t at_least, Unmapped* unmapped) {
  for (size_t released = 0; released < at_least && !idle_.empty();) {
    released += idle_.begin()->second.bytes;
    Release(idle_.begin(), unmapped);
  }
}

// The oldest: it is the first of its size as well.
void IdleBlocks::Release(Blocks::iterator idle, Unmapped* unmapped) {
  const auto of_size = by_size_.find(idle->second.bytes);
  of_size->second.pop_front();
  if (of_size->second.empty()) by_size_.erase(of_size);
  idle_bytes_ -= idle->second.bytes;
  unmapped->Add(idle->second.block, idle->second.bytes);
  idle_.erase(idle);
}

}  // namespace tributary
