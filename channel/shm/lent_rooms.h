// The rooms that a trainer's end of a stream has lent to the server.
#ifndef TRIBUTARY_CHANNEL_SHM_LENT_ROOMS_H_
#define TRIBUTARY_CHANNEL_SHM_LENT_ROOMS_H_

#include <cstdint>
#include <map>
#include <memory>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "channel/message.h"
#include "channel/shm/record.h"
#include "channel/shm/shared_memories.h"
#include "channel/shm/shared_memory.h"

namespace tributary {

// Numbers the rooms of one stream and keeps each one alive from the record
// that lends it until the server releases it or the stream's socket has ended:
// in between the server may write into it. Also remembers which shared
// memories the server knows, since a descriptor is sent once.
//
// Not thread-safe: ShmStream calls it with its lock held. Rooms are returned to
// the caller, which destroys them without the lock.
class LentRooms {
 public:
  // `memories` may be null: then no room is lent.
  explicit LentRooms(std::shared_ptr<const SharedMemories> memories)
      : memories_(std::move(memories)) {}

  // Lends `room` and describes it in `*record`. Returns the descriptor to send
  // with the record, which this object keeps open, or -1 if the server knows
  // the memory. Leaves `record->room` 0 if `room` is null, lies in none of the
  // shared memories, or lies in one more than the kMaxMemories that a stream
  // may send; the batch then arrives in frames.
  int Lend(const std::shared_ptr<SharedRoom>& room, Record* record);

  // Ends the loan of room `number`, which the server has released. Returns
  // DATA_LOSS if it is not lent.
  absl::StatusOr<std::shared_ptr<SharedRoom>> TakeBack(uint64_t number);
  // Ends all loans. Requires that the server's process can no longer write:
  // its end of the socket is closed.
  std::vector<std::shared_ptr<SharedRoom>> TakeBackAll();

  size_t size() const { return lent_.size(); }

 private:
  // Returns the index of `memory` among those sent to the server, adding it if
  // there is a place left; kMaxMemories if there is none.
  uint32_t IndexOf(const std::shared_ptr<SharedMemory>& memory);

  const std::shared_ptr<const SharedMemories> memories_;
  std::vector<std::shared_ptr<SharedMemory>> sent_memories_;
  std::map<uint64_t, std::shared_ptr<SharedRoom>> lent_;  // by number
  uint64_t next_number_ = 1;
};

}  // namespace tributary

#endif  // TRIBUTARY_CHANNEL_SHM_LENT_ROOMS_H_
