#include "channel/shm/record.h"

#include "absl/strings/str_cat.h"
#include "channel/envelope.h"

namespace tributary {
namespace {

absl::Status Bad(const Record& record, const char* what) {
  return absl::DataLossError(absl::StrCat(
      "record of kind ", static_cast<uint32_t>(record.kind), ": ", what));
}

absl::Status CheckMessage(const Record& record, bool from_trainer) {
  if (record.length < kEnvelopePrefixBytes ||
      record.length > kMaxEnvelopeBytes) {
    return Bad(record, "a message of no such length");
  }
  if (record.room == 0) {
    return record.has_fd == 0 ? absl::OkStatus()
                              : Bad(record, "memory without a room");
  }
  if (!from_trainer) return Bad(record, "a room from a server");
  if (record.memory >= kMaxMemories) return Bad(record, "too many memories");
  return absl::OkStatus();
}

}  // namespace

absl::Status CheckRecord(const Record& record, bool from_trainer) {
  if (record.has_fd > 1) return Bad(record, "damaged");
  switch (record.kind) {
    case RecordKind::kMessage:
      return CheckMessage(record, from_trainer);
    case RecordKind::kReleased:
      if (from_trainer || record.length != 0 || record.has_fd != 0) {
        return Bad(record, "a room is released by a server, without more");
      }
      return absl::OkStatus();
    case RecordKind::kClose:
      if (record.length > kMaxCloseText || record.has_fd != 0) {
        return Bad(record, "too long an end");
      }
      return absl::OkStatus();
  }
  return Bad(record, "no such kind");
}

}  // namespace tributary
