#include "channel/shm/record.h"

#include "absl/strings/str_cat.h"
#include "channel/envelope.h"

namespace tributary {
namespace {

absl::Status RecordError(const Record& record, const char* what) {
  return absl::DataLossError(absl::StrCat(
      "record of kind ", static_cast<uint32_t>(record.kind), ": ", what));
}

absl::Status CheckMessage(const Record& record, bool from_trainer) {
  if (record.length < kEnvelopePrefixBytes ||
      record.length > kMaxEnvelopeBytes) {
    return RecordError(record, "a message of no such length");
  }
  if (record.room == 0) {
    return record.has_fd == 0 ? absl::OkStatus()
                              : RecordError(record, "memory without a room");
  }
  if (!from_trainer) return RecordError(record, "a room from a server");
  if (record.memory >= kMaxMemories)
    return RecordError(record, "too many memories");
  return absl::OkStatus();
}

}  // namespace

absl::Status CheckRecord(const Record& record, bool from_trainer) {
  if (record.has_fd > 1) return RecordError(record, "damaged");
  switch (record.kind) {
    case RecordKind::kMessage:
      return CheckMessage(record, from_trainer);
    case RecordKind::kReleased:
      if (from_trainer || record.length != 0 || record.has_fd != 0) {
        return RecordError(record,
                           "a room is released by a server, without more");
      }
      return absl::OkStatus();
    case RecordKind::kClose:
      if (record.length > kMaxCloseText || record.has_fd != 0) {
        return RecordError(record, "too long an end");
      }
      return absl::OkStatus();
  }
  return RecordError(record, "no such kind");
}

}  // namespace tributary
