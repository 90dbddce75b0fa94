// The call of Next() that waits for a batch.
#ifndef TRIBUTARY_TRAINER_CLIENT_CORE_WAITING_NEXT_H_
#define TRIBUTARY_TRAINER_CLIENT_CORE_WAITING_NEXT_H_

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <utility>

#include "absl/functional/any_invocable.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "common/runtime/executor.h"
#include "trainer_client/core/batch/batch_lease.h"
#include "trainer_client/core/recent_wait.h"

namespace tributary {

// Holds the user's callback until it is answered or its deadline comes. One
// call at a time. All methods run on the strand.
class WaitingNext {
 public:
  // nullopt: the epoch has ended.
  using Result = absl::StatusOr<std::optional<BatchLease>>;
  using Delivered = absl::AnyInvocable<void(Result)>;
  // Takes the number of a call; see IsWaiting.
  using OnDeadline = std::function<void(uint64_t call)>;

  explicit WaitingNext(std::shared_ptr<Strand> strand)
      : strand_(std::move(strand)) {}

  // Runs `on_deadline` after `timeout`, unless the call was answered before. It
  // may still run when this object is gone, so it must not own a plain pointer
  // to it. Requires !waiting().
  void Wait(Delivered delivered, absl::Duration timeout,
            OnDeadline on_deadline);
  bool waiting() const { return delivered_ != nullptr; }
  // Whether this very call still waits: a deadline that has reached the strand
  // can no longer be cancelled.
  bool IsWaiting(uint64_t call) const { return waiting() && call == calls_; }
  // Calls back; the callback may call Wait. Requires waiting().
  void Answer(Result result);

  // Returns how long the call has waited. Requires waiting().
  absl::Duration age() const { return strand_->Now() - since_; }
  // Returns how long all answered calls have waited.
  absl::Duration waited() const { return waited_; }
  // Returns the same with the present call's time, if one waits.
  absl::Duration waited_so_far() const {
    return waiting() ? waited_ + age() : waited_;
  }
  // Returns the share of the last minute in which calls have waited, the
  // present one included; see RecentWait. It begins with the first call.
  double wait_ratio() const;
  // Returns the same as a share of a whole minute; see RecentWait.
  double minute_wait_ratio() const;

 private:
  RecentWait RecentUntil(absl::Time now) const;

  const std::shared_ptr<Strand> strand_;
  Delivered delivered_;
  uint64_t calls_ = 0;
  absl::Time since_;
  TimerId deadline_ = 0;
  absl::Duration waited_;
  RecentWait recent_;  // without the present call
};

}  // namespace tributary

#endif  // TRIBUTARY_TRAINER_CLIENT_CORE_WAITING_NEXT_H_
