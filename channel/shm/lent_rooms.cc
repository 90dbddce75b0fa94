#include "channel/shm/lent_rooms.h"

#include <algorithm>

#include "absl/status/status.h"
#include "absl/types/span.h"

namespace tributary {

int LentRooms::Lend(const std::shared_ptr<SharedRoom>& room, Record* record) {
  if (room == nullptr || memories_ == nullptr) return -1;
  const absl::Span<uint8_t> bytes = room->bytes();
  const std::shared_ptr<SharedMemory> memory = memories_->Holding(bytes);
  if (memory == nullptr) return -1;
  const size_t known = sent_memories_.size();
  const uint32_t index = IndexOf(memory);
  if (index == kMaxMemories) return -1;
  record->memory = index;
  record->offset = static_cast<uint64_t>(bytes.data() - memory->bytes().data());
  record->bytes = bytes.size();
  record->room = next_number_++;
  lent_[record->room] = room;
  if (index < known) return -1;
  record->has_fd = 1;
  return memory->fd();
}

uint32_t LentRooms::IndexOf(const std::shared_ptr<SharedMemory>& memory) {
  const auto known =
      std::find(sent_memories_.begin(), sent_memories_.end(), memory);
  if (known != sent_memories_.end()) {
    return static_cast<uint32_t>(known - sent_memories_.begin());
  }
  if (sent_memories_.size() == kMaxMemories) return kMaxMemories;
  sent_memories_.push_back(memory);
  return static_cast<uint32_t>(sent_memories_.size() - 1);
}

absl::StatusOr<std::shared_ptr<SharedRoom>> LentRooms::TakeBack(
    uint64_t number) {
  const auto it = lent_.find(number);
  if (it == lent_.end()) {
    return absl::DataLossError("a room is returned that was not lent");
  }
  std::shared_ptr<SharedRoom> room = std::move(it->second);
  lent_.erase(it);
  return room;
}

std::vector<std::shared_ptr<SharedRoom>> LentRooms::TakeBackAll() {
  std::vector<std::shared_ptr<SharedRoom>> rooms;
  rooms.reserve(lent_.size());
  for (auto& [number, room] : lent_) rooms.push_back(std::move(room));
  lent_.clear();
  return rooms;
}

}  // namespace tributary
