#include "trainer_client/core/waiting_next.h"

namespace tributary {

void WaitingNext::Wait(Delivered delivered, absl::Duration timeout,
                       OnDeadline on_deadline) {
  delivered_ = std::move(delivered);
  since_ = strand_->Now();
  recent_.Begin(since_);
  deadline_ =
      strand_->PostAfter(timeout, [on_deadline = std::move(on_deadline),
                                   call = ++calls_] { on_deadline(call); });
}

void WaitingNext::Answer(Result result) {
  strand_->CancelTimer(deadline_);
  const absl::Time now = strand_->Now();
  waited_ += now - since_;
  recent_.Add(since_, now);
  Delivered delivered = std::exchange(delivered_, nullptr);
  delivered(std::move(result));
}

RecentWait WaitingNext::RecentUntil(absl::Time now) const {
  RecentWait recent = recent_;
  if (waiting()) recent.Add(since_, now);
  return recent;
}

double WaitingNext::wait_ratio() const {
  const absl::Time now = strand_->Now();
  return RecentUntil(now).Ratio(now);
}

double WaitingNext::minute_wait_ratio() const {
  const absl::Time now = strand_->Now();
  return RecentUntil(now).MinuteRatio(now);
}

}  // namespace tributary
