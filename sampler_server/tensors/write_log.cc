#include "sampler_server/tensors/write_log.h"

#include "absl/strings/str_cat.h"

namespace tributary {

absl::StatusOr<bool> WriteLog::IsNew(uint64_t sequence, uint64_t oldest_open) {
  if (sequence == 0 || sequence < oldest_open ||
      sequence - oldest_open >= kMaxOpen) {
    return absl::InvalidArgumentError(absl::StrCat(
        "write ", sequence, " with the oldest open write ", oldest_open,
        "; allowed: 1 or more, and fewer than ", kMaxOpen, " open writes"));
  }
  MutexLock lock(mutex_);
  if (oldest_open > oldest_open_) {
    oldest_open_ = oldest_open;
    applied_.erase(applied_.begin(), applied_.lower_bound(oldest_open));
  }
  // A late duplicate of one that has been answered: nobody waits for it.
  return sequence >= oldest_open_ && !applied_.contains(sequence);
}

void WriteLog::Record(uint64_t sequence) {
  MutexLock lock(mutex_);
  if (sequence >= oldest_open_) applied_.insert(sequence);
}

}  // namespace tributary
