// The shared memories that the trainer of a stream has sent to the server.
#ifndef TRIBUTARY_CHANNEL_SHM_PEER_MEMORIES_H_
#define TRIBUTARY_CHANNEL_SHM_PEER_MEMORIES_H_

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "channel/shm/record.h"
#include "channel/shm/shared_memory.h"
#include "common/io/unique_fd.h"

namespace tributary {

// A range of a trainer's memory, mapped into this process. `memory` keeps the
// mapping.
struct MappedBytes {
  std::shared_ptr<SharedMemory> memory;
  absl::Span<uint8_t> bytes;
};

// Maps each memory once, when its descriptor arrives, and keeps it for the
// stream's life. Not thread-safe: used on the thread of the stream's loop.
class PeerMemories {
 public:
  // A memory of more than `max_memory_bytes` is refused.
  explicit PeerMemories(size_t max_memory_bytes)
      : max_memory_bytes_(max_memory_bytes) {}

  // Returns the range that `record` lends. Requires a record that CheckRecord
  // has passed, with a room. `fd`: the descriptor that came with the record;
  // used if `record.has_fd` is 1. Returns DATA_LOSS if the descriptor is
  // missing or its memory was sent before, if the memory was never sent, or if
  // the range is not within it or not aligned to a cache line; and the errors
  // of SharedMemory::Map.
  absl::StatusOr<MappedBytes> Map(const Record& record, UniqueFd fd);

 private:
  const size_t max_memory_bytes_;
  std::map<uint32_t, std::shared_ptr<SharedMemory>> memories_;  // by index
};

}  // namespace tributary

#endif  // TRIBUTARY_CHANNEL_SHM_PEER_MEMORIES_H_
