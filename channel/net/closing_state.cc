#include "channel/net/closing_state.h"

#include <utility>

namespace tributary {

bool ClosingState::Close(absl::Status why) {
  if (phase_ != Phase::kOpen) return false;
  phase_ = Phase::kClosing;
  why_ = std::move(why);
  return true;
}

bool ClosingState::HoldRoom() {
  if (phase_ != Phase::kOpen) return false;
  ++rooms_held_;
  return true;
}

void ClosingState::ReleaseRoom() { --rooms_held_; }

bool ClosingState::ShutDownIfIdle(bool queue_empty) {
  if (phase_ != Phase::kClosing || !queue_empty || rooms_held_ > 0) {
    return false;
  }
  phase_ = Phase::kShutDown;
  return true;
}

}  // namespace tributary
