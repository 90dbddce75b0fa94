// What goes over the socket of a stream, record after record.
#ifndef TRIBUTARY_CHANNEL_SHM_RECORD_H_
#define TRIBUTARY_CHANNEL_SHM_RECORD_H_

#include <cstddef>
#include <cstdint>

#include "absl/status/status.h"

namespace tributary {

enum class RecordKind : uint32_t {
  kMessage = 1,   // an envelope follows
  kReleased = 2,  // nobody writes into `room` any more
  kClose = 3,     // `room` is a status code, its text follows; the last record
};

// As it lies in memory: both ends are processes of one machine and one build,
// or of two builds with one kShmVersion.
struct Record {
  RecordKind kind{};
  uint32_t length = 0;  // bytes that follow
  // Where the batch goes that the message asks for: room `room` (numbered by
  // the sender, from 1; 0: none), bytes [offset, offset + bytes) of memory
  // `memory`.
  uint64_t room = 0;
  uint64_t offset = 0;
  uint64_t bytes = 0;
  uint32_t memory = 0;
  uint32_t has_fd = 0;  // 1: the memory's descriptor comes beside this record
};
static_assert(sizeof(Record) == 40);

// What is sent to a worker for each stream to it, with the stream's end as the
// only descriptor.
struct Hello {
  static constexpr uint32_t kMagic = 0x4d485354;  // "TSHM"
  static constexpr uint16_t kShmVersion = 1;
  uint32_t magic = kMagic;
  uint16_t version = kShmVersion;
  uint16_t method = 0;  // StreamMethod
};
static_assert(sizeof(Hello) == 8);

inline constexpr size_t kMaxCloseText = 4096;
inline constexpr uint32_t kMaxMemories = 16;  // of one stream

// DATA_LOSS: not what the other end sends. Rooms come from trainers alone.
absl::Status CheckRecord(const Record& record, bool may_have_room);

}  // namespace tributary

#endif  // TRIBUTARY_CHANNEL_SHM_RECORD_H_
