// The writes of one client that a server has applied.
#ifndef TRIBUTARY_SAMPLER_SERVER_TENSORS_WRITE_LOG_H_
#define TRIBUTARY_SAMPLER_SERVER_TENSORS_WRITE_LOG_H_

#include <bitset>
#include <cstddef>
#include <cstdint>
#include <memory>

#include "absl/status/statusor.h"
#include "common/runtime/async_lock.h"
#include "common/runtime/mutex.h"

namespace tributary {

// Says of each write of a client whether it is to be applied, so that it is
// applied once, whatever comes twice. Remembers the numbers from the oldest
// write that the client still waits for: at most kMaxOpen, a bit each, so that
// its size is fixed. Thread-safe.
class WriteLog {
 public:
  static constexpr uint64_t kMaxOpen = 4096;

  // Held while a write of the client is applied, in steps: one at a time, in
  // the order in which they came.
  AsyncLock& turn() { return *turn_; }

  // Returns whether the write is still to be applied. All writes below
  // `oldest_open` have been answered; it never moves back. INVALID_ARGUMENT for
  // a sequence of 0, one below `oldest_open`, or beyond oldest_open + kMaxOpen.
  absl::StatusOr<bool> IsNew(uint64_t sequence, uint64_t oldest_open);
  // The write was applied. One that fails is not recorded.
  void Record(uint64_t sequence);

 private:
  // Forgets the writes below `oldest_open`, if that is news.
  void MoveTo(uint64_t oldest_open) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);

  const std::shared_ptr<AsyncLock> turn_ = std::make_shared<AsyncLock>();
  Mutex mutex_;
  uint64_t oldest_open_ ABSL_GUARDED_BY(mutex_) = 1;
  // Of the writes oldest_open_ to oldest_open_ + kMaxOpen - 1, each at its
  // number modulo kMaxOpen.
  std::bitset<kMaxOpen> applied_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace tributary

#endif  // TRIBUTARY_SAMPLER_SERVER_TENSORS_WRITE_LOG_H_
