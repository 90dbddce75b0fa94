// Notes when a batch was asked of whom, and how that ended.
#ifndef TRIBUTARY_TRAINER_CLIENT_CORE_WINDOW_BATCH_TRAIL_H_
#define TRIBUTARY_TRAINER_CLIENT_CORE_WINDOW_BATCH_TRAIL_H_

#include <cstdint>
#include <optional>
#include <string>
#include <utility>

#include "absl/status/status.h"
#include "absl/time/time.h"
#include "common/fleet/address.h"
#include "common/trace/batch_timeline.h"

namespace tributary {

// The trail of one batch that is traced; of others nobody calls. Pure state:
// the caller passes the time of the loader's clock. Not thread-safe.
class BatchTrail {
 public:
  void Asked(const Address& server, absl::Time now) {
    auto& attempts = timeline_.attempts;
    if (attempts.size() == BatchTimeline::kMost) {
      attempts.erase(attempts.begin());
      ++timeline_.more_attempts;
    }
    attempts.push_back({.server = server.ToString(), .asked = now});
  }
  // The latest request to `server` ends. `trace` is the server's; may be null.
  void Ended(const Address& server, absl::Time now, absl::Status status,
             const v1::BatchTrace* trace = nullptr) {
    auto& attempts = timeline_.attempts;
    if (attempts.empty()) return;
    const std::string name = server.ToString();
    for (auto it = attempts.rbegin(); it != attempts.rend(); ++it) {
      if (it->server != name || it->ended != absl::InfiniteFuture()) continue;
      it->ended = now;
      it->status = std::move(status);
      if (trace != nullptr) it->trace = *trace;
      return;
    }
  }
  void Ready(absl::Time now) {
    timeline_.ready = now;
    waits_before_.reset();
  }
  // Notes for how long the user had waited for batches, in all, when this one
  // became ready. Only the first call after Ready counts.
  void NoteWaits(absl::Duration waited) {
    if (!waits_before_.has_value()) waits_before_ = waited;
  }
  absl::Duration waits_before() const {
    return waits_before_.value_or(absl::ZeroDuration());
  }
  // Returns what was noted, with all times later by `shift`. The object is of
  // no further use.
  BatchTimeline Take(absl::Duration shift) {
    for (BatchAttempt& attempt : timeline_.attempts) {
      attempt.asked += shift;
      attempt.ended += shift;
    }
    timeline_.ready += shift;
    return std::move(timeline_);
  }

 private:
  BatchTimeline timeline_;
  std::optional<absl::Duration> waits_before_;
};

}  // namespace tributary

#endif  // TRIBUTARY_TRAINER_CLIENT_CORE_WINDOW_BATCH_TRAIL_H_
