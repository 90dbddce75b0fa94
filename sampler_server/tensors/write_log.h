// Which writes of one client a server has applied.
#ifndef TRIBUTARY_SAMPLER_SERVER_TENSORS_WRITE_LOG_H_
#define TRIBUTARY_SAMPLER_SERVER_TENSORS_WRITE_LOG_H_

#include <cstdint>
#include <memory>
#include <set>

#include "absl/status/statusor.h"
#include "common/runtime/async_lock.h"
#include "common/runtime/mutex.h"

namespace tributary {

// Says of each write of a client whether it is to be applied, so that it is
// applied once, whatever comes twice. Remembers the numbers from the oldest
// write that the client still waits for: at most kMaxOpen. Thread-safe.
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
  const std::shared_ptr<AsyncLock> turn_ = std::make_shared<AsyncLock>();
  Mutex mutex_;
  uint64_t oldest_open_ ABSL_GUARDED_BY(mutex_) = 1;
  std::set<uint64_t> applied_ ABSL_GUARDED_BY(mutex_);  // >= oldest_open_
};

}  // namespace tributary

#endif  // TRIBUTARY_SAMPLER_SERVER_TENSORS_WRITE_LOG_H_
