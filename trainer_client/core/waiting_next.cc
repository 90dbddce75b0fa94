#include "trainer_client/core/waiting_next.h"

namespace tributary {

void WaitingNext::Wait(Delivered delivered, absl::Duration timeout,
                       OnDeadline on_deadline) {
  delivered_ = std::move(delivered);
  since_ = strand_->Now();
  deadline_ =
      strand_->PostAfter(timeout, [on_deadline = std::move(on_deadline),
                                   call = ++calls_] { on_deadline(call); });
}

void WaitingNext::Answer(Result result) {
  strand_->CancelTimer(deadline_);
  waited_ += strand_->Now() - since_;
  Delivered delivered = std::exchange(delivered_, nullptr);
  delivered(std::move(result));
}

}  // namespace tributary
