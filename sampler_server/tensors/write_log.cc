#include "sampler_server/tensors/write_log.h"

#include "absl/strings/str_cat.h"

namespace tributary {

void WriteLog::MoveTo(uint64_t oldest_open) {
  if (oldest_open <= oldest_open_) return;
  if (oldest_open - oldest_open_ >= kMaxOpen) {
    applied_.reset();
    oldest_open_ = oldest_open;
  }
  for (; oldest_open_ < oldest_open; ++oldest_open_) {
    applied_.reset(oldest_open_ % kMaxOpen);
  }
}

absl::StatusOr<bool> WriteLog::IsNew(uint64_t sequence, uint64_t oldest_open) {
  if (sequence == 0 || sequence < oldest_open ||
      sequence - oldest_open >= kMaxOpen) {
    return absl::InvalidArgumentError(absl::StrCat(
        "write ", sequence, " with the oldest open write ", oldest_open,
        "; allowed: 1 or more, and fewer than ", kMaxOpen, " open writes"));
  }
  MutexLock lock(mutex_);
  MoveTo(oldest_open);
  // A late duplicate of one that has been answered: nobody waits for it.
  // Else it is one of the bits, since oldest_open_ is not below `oldest_open`.
  return sequence >= oldest_open_ && !applied_.test(sequence % kMaxOpen);
}

void WriteLog::Record(uint64_t sequence) {
  MutexLock lock(mutex_);
  if (sequence >= oldest_open_) applied_.set(sequence % kMaxOpen);
}

}  // namespace tributary
