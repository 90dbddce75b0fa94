#include "channel/shm/peer_memories.h"

#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "common/io/buffer.h"
#include "common/text/status.h"

namespace tributary {

absl::StatusOr<MappedBytes> PeerMemories::Map(const Record& record,
                                              UniqueFd fd) {
  if (record.has_fd == 1) {
    if (!fd.valid() || memories_.contains(record.memory)) {
      return absl::DataLossError("a memory without a descriptor, or twice");
    }
    ASSIGN_OR_RETURN(std::shared_ptr<SharedMemory> memory,
                     SharedMemory::Map(std::move(fd), max_memory_bytes_));
    memories_[record.memory] = std::move(memory);
  }
  const auto it = memories_.find(record.memory);
  if (it == memories_.end()) {
    return absl::DataLossError("a room in a memory that was not sent");
  }
  const absl::Span<uint8_t> whole = it->second->bytes();
  if (record.offset > whole.size() ||
      record.bytes > whole.size() - record.offset ||
      record.offset % kCacheLine != 0) {
    return absl::DataLossError(
        absl::StrCat("a room at ", record.offset, " of ", record.bytes,
                     " bytes in a memory of ", whole.size()));
  }
  return MappedBytes{it->second, whole.subspan(record.offset, record.bytes)};
}

}  // namespace tributary
