// The records that the two ends of a shared-memory stream exchange.
//
// A stream is a unix socket between two processes of one machine. Each end
// writes a sequence of records: a fixed-size Record, then `length` bytes.
#ifndef TRIBUTARY_CHANNEL_SHM_RECORD_H_
#define TRIBUTARY_CHANNEL_SHM_RECORD_H_

#include <cstddef>
#include <cstdint>

#include "absl/status/status.h"
#include "absl/types/span.h"

namespace tributary {

enum class RecordKind : uint32_t {
  kMessage = 1,   // an envelope follows
  kReleased = 2,  // the server no longer writes into room `room`
  kClose = 3,     // `room` is a status code, its text follows; the last record
};

// Sent as it lies in memory: both ends are processes of one machine and of one
// build, or of two builds with the same Hello::kShmVersion.
struct Record {
  RecordKind kind{};
  uint32_t length = 0;  // bytes that follow
  // The memory that the sender lends for the batch that the message requests:
  // room `room` (numbered by the sender from 1; 0: no room) is bytes
  // [offset, offset + bytes) of shared memory `memory`.
  uint64_t room = 0;
  uint64_t offset = 0;
  uint64_t bytes = 0;
  uint32_t memory = 0;
  uint32_t has_fd = 0;  // 1: the memory's descriptor comes with this record
};
static_assert(sizeof(Record) == 40);

// The first message to a worker for each new stream. The worker's end of the
// stream's socket pair is the only descriptor sent with it.
struct Hello {
  static constexpr uint32_t kMagic = 0x4d485354;  // "TSHM"
  static constexpr uint16_t kShmVersion = 1;
  uint32_t magic = kMagic;
  uint16_t version = kShmVersion;
  uint16_t method = 0;  // StreamMethod
};
static_assert(sizeof(Hello) == 8);

inline constexpr size_t kMaxCloseText = 4096;  // bytes of a kClose's text
// Shared memories that one stream may send to the server.
inline constexpr uint32_t kMaxMemories = 16;

// Returns the record's bytes as they are sent.
inline absl::Span<const uint8_t> RecordBytes(const Record& record) {
  return {reinterpret_cast<const uint8_t*>(&record), sizeof(record)};
}

// Returns DATA_LOSS if no correct sender sends `record`. `from_trainer` says
// which end sent it: only trainers lend rooms, only servers release them.
absl::Status CheckRecord(const Record& record, bool from_trainer);

}  // namespace tributary

#endif  // TRIBUTARY_CHANNEL_SHM_RECORD_H_
