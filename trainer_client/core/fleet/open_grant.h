// A credit that its server has not answered yet.
#ifndef TRIBUTARY_TRAINER_CLIENT_CORE_FLEET_OPEN_GRANT_H_
#define TRIBUTARY_TRAINER_CLIENT_CORE_FLEET_OPEN_GRANT_H_

#include <cstdint>
#include <utility>

#include "absl/time/time.h"
#include "trainer_client/core/fleet/batch_ref.h"

namespace tributary {

// Keeps what one open grant is for, whether it was cancelled, and when its
// server last gave a sign of life. Pure state: the caller passes the time. Not
// thread-safe.
class OpenGrant {
 public:
  // `max_bytes`: the size of the grant's slot. `exclusive`: the server gets no
  // other request meanwhile.
  OpenGrant(const BatchRef& batch, uint64_t max_bytes, bool exclusive,
            absl::Time now)
      : batch_(batch),
        max_bytes_(max_bytes),
        exclusive_(exclusive),
        granted_at_(now),
        last_sign_(now) {}

  const BatchRef& batch() const { return batch_; }
  uint64_t max_bytes() const { return max_bytes_; }
  bool exclusive() const { return exclusive_; }
  // Cancelled and not answered: the slot stays held.
  bool cancelled() const { return cancelled_; }

  // Returns false if the grant was cancelled before.
  bool Cancel(absl::Time now) {
    if (cancelled_) return false;
    cancelled_at_ = now;
    return cancelled_ = true;
  }

  // Takes the count of signs of life that BatchStream::SignsOf gives; a changed
  // count is a new sign.
  void OnSigns(uint64_t signs, absl::Time now) {
    if (std::exchange(signs_, signs) != signs) last_sign_ = now;
  }
  // Restarts the measurement of silence, and of the time since the cancel.
  void ResetSilence(absl::Time now) { last_sign_ = cancelled_at_ = now; }

  absl::Duration Silence(absl::Time now) const { return now - last_sign_; }
  absl::Duration Age(absl::Time now) const { return now - granted_at_; }
  // Returns for how long the server has not answered the cancel, whatever signs
  // of life it gives; zero if the grant is not cancelled.
  absl::Duration CancelledFor(absl::Time now) const {
    return cancelled_ ? now - cancelled_at_ : absl::ZeroDuration();
  }

 private:
  BatchRef batch_;
  uint64_t max_bytes_;
  bool exclusive_;
  bool cancelled_ = false;
  absl::Time granted_at_;
  absl::Time last_sign_;
  absl::Time cancelled_at_ = absl::InfinitePast();
  uint64_t signs_ = 0;
};

}  // namespace tributary

#endif  // TRIBUTARY_TRAINER_CLIENT_CORE_FLEET_OPEN_GRANT_H_
