// Which writes of one client a server has applied.
#ifndef TRIBUTARY_SAMPLER_SERVER_TENSORS_WRITE_LOG_H_
#define TRIBUTARY_SAMPLER_SERVER_TENSORS_WRITE_LOG_H_

#include <bitset>
#include <cstddef>
#include <cstdint>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "common/runtime/mutex.h"

namespace tributary {

// Applies each write of a client once, whatever comes twice. Remembers the
// numbers from the oldest write that the client still waits for: at most
// kMaxOpen, a bit each, so that its size is fixed. Thread-safe; a client's
// writes are applied one at a time.
class WriteLog {
 public:
  static constexpr uint64_t kMaxOpen = 4096;

  // Runs `apply` unless the write was applied before; then returns OK. A write
  // whose `apply` fails counts as not applied. All writes below `oldest_open`
  // have been answered; it never moves back. INVALID_ARGUMENT for a sequence of
  // 0, one below `oldest_open`, or beyond oldest_open + kMaxOpen.
  absl::Status Apply(uint64_t sequence, uint64_t oldest_open,
                     absl::FunctionRef<absl::Status()> apply);

 private:
  // Forgets the writes below `oldest_open`, if that is news.
  void MoveTo(uint64_t oldest_open) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);

  Mutex mutex_;
  uint64_t oldest_open_ ABSL_GUARDED_BY(mutex_) = 1;
  // Of the writes oldest_open_ to oldest_open_ + kMaxOpen - 1, each at its
  // number modulo kMaxOpen.
  std::bitset<kMaxOpen> applied_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace tributary

#endif  // TRIBUTARY_SAMPLER_SERVER_TENSORS_WRITE_LOG_H_
