// One call of Next() that its user waits for in several steps, or by a
// descriptor.
#ifndef TRIBUTARY_TRAINER_CLIENT_CORE_ASKED_BATCH_H_
#define TRIBUTARY_TRAINER_CLIENT_CORE_ASKED_BATCH_H_

#include <memory>
#include <optional>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "common/io/unique_fd.h"
#include "common/runtime/mutex.h"
#include "common/runtime/promised.h"
#include "trainer_client/core/waiting_next.h"

namespace tributary {

// A descriptor that can be polled for reading while the event is set.
// Thread-safe.
class PolledEvent {
 public:
  // Makes the descriptor, at the first call. RESOURCE_EXHAUSTED if the process
  // has no more.
  absl::StatusOr<int> Descriptor();
  void Set();
  void Clear();

 private:
  Mutex mutex_;
  UniqueFd fd_ ABSL_GUARDED_BY(mutex_);
  bool set_ ABSL_GUARDED_BY(mutex_) = false;
};

// The answer to the call that is under way, if there is one. One thread asks
// and takes; the answer may come from any. Answers to calls that were dropped
// are dropped, with the leases that they hold.
class AskedBatch {
 public:
  using Result = WaitingNext::Result;

  bool asked() const { return answer_ != nullptr; }
  // Returns the callback for the answer, which any thread may call once, after
  // this object is gone, too. Requires !asked().
  WaitingNext::Delivered Ask();
  // Waits no longer than `wait` for the answer, and takes it. Requires asked().
  std::optional<Result> Take(absl::Duration wait);
  void Drop();
  absl::StatusOr<int> Descriptor() { return ready_->Descriptor(); }

 private:
  // Shared with the callbacks. Each call has an event of its own only until it
  // is dropped: a late answer must not set that of the next call.
  struct Answer {
    Promised<Result> result;
    Mutex mutex;
    std::shared_ptr<PolledEvent> ready ABSL_GUARDED_BY(mutex);  // null: dropped
  };

  const std::shared_ptr<PolledEvent> ready_ = std::make_shared<PolledEvent>();
  std::shared_ptr<Answer> answer_;
};

}  // namespace tributary

#endif  // TRIBUTARY_TRAINER_CLIENT_CORE_ASKED_BATCH_H_
